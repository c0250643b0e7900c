import { endpoint } from '../wire/endpoints.ts';
import type { Flight } from '../wire/flight.ts';
import { attemptFailed } from '../words/attempt.ts';
import { cutOff } from '../words/wire.ts';
import type { Claim } from './claim.ts';
import type { EngineContext } from './context.ts';
import type { Door } from './door.ts';

/** One flight of an intent's own bytes. It always comes back, even if with nothing. */
export async function send({ intent, number }: Claim, door: Door, engine: EngineContext): Promise<Flight> {
  const { connection, bot, limits, clock, observer } = engine;
  const url = endpoint(connection.url, intent.kind);
  if (engine.interrupts.first.aborted) return { came: 'nothing', headersSent: false, trouble: cutOff };
  const startedAtMs = clock.now();
  const landing = untilLanded(engine);
  observer.step({ is: 'sending', number, url, key: intent.key });
  try {
    const flight = await observer.during(
      { for: 'reply', kind: intent.kind },
      connection.channel
        .fly(
          { url, token: bot.token, body: intent.body },
          { timeoutMs: limits.timeoutMs, cut: landing.cut, door: () => door.ask() },
        )
        .catch(brokenChannel),
    );
    const what = flight.came === 'reply' ? `status ${flight.status}` : flight.trouble;
    observer.step({ is: 'came-back', number, what, tookMs: clock.now() - startedAtMs });
    return flight;
  } finally {
    landing.over();
  }
}

/** A channel that throws says nothing of how far it came: the worst is taken for true. */
function brokenChannel(error: unknown): Flight {
  const what = error instanceof Error ? error.message : String(error);
  return { came: 'nothing', headersSent: true, trouble: attemptFailed(what) };
}

const landingMs = 5000;

/** After the first signal the flight may land for a while; the second ends it now. */
function untilLanded({ interrupts, clock }: EngineContext): { cut: AbortSignal; over: () => void } {
  const cut = new AbortController();
  let landed: AbortController | undefined;
  const onFirst = (): void => {
    landed = new AbortController();
    void clock.sleep(landingMs, landed.signal).then(() => cut.abort());
  };
  const onSecond = (): void => cut.abort();
  if (interrupts.first.aborted) onFirst();
  interrupts.first.addEventListener('abort', onFirst, { once: true });
  interrupts.second.addEventListener('abort', onSecond, { once: true });
  return {
    cut: cut.signal,
    over: () => {
      landed?.abort();
      interrupts.first.removeEventListener('abort', onFirst);
      interrupts.second.removeEventListener('abort', onSecond);
    },
  };
}
