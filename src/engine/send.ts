import { endpoint } from '../wire/endpoints.ts';
import type { Flight } from '../wire/flight.ts';
import type { Claim } from './claim.ts';
import type { EngineContext } from './context.ts';
import type { Door } from './door.ts';
import { landingOf } from './landing.ts';

/** One flight of an intent's own bytes. It always comes back, even if with nothing. */
export async function send({ intent, number }: Claim, door: Door, engine: EngineContext): Promise<Flight> {
  const { connection, bot, limits, clock, observer } = engine;
  const url = endpoint(connection.url, intent.kind);
  if (engine.interrupts.first.aborted)
    return { came: 'nothing', headersSent: false, trouble: { is: 'interrupted' } };
  const startedAtMs = clock.now();
  const landing = landingOf(engine);
  const cut = landing.begin();
  observer.step({ is: 'sending', number, url, key: intent.key });
  try {
    const flight = await observer.during(
      { for: 'reply', kind: intent.kind },
      connection.channel
        .fly(
          { url, token: bot.token, body: intent.body },
          { timeoutMs: limits.timeoutMs, cut, door: () => door.ask() },
        )
        .catch(brokenChannel),
    );
    const what = flight.came === 'reply' ? flight.status : flight.trouble;
    observer.step({ is: 'came-back', number, what, tookMs: clock.now() - startedAtMs });
    return flight;
  } finally {
    landing.end();
  }
}

/** A channel that throws says nothing of how far it came: the worst is taken for true. */
function brokenChannel(error: unknown): Flight {
  const text = error instanceof Error ? error.message : String(error);
  return { came: 'nothing', headersSent: true, trouble: { is: 'attempt-failed', text } };
}
