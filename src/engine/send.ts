import type { Intent } from '../journal/journal.ts';
import { endpoint } from '../wire/endpoints.ts';
import type { Flight } from '../wire/flight.ts';
import type { Doing } from './doing.ts';

/** One flight of an intent's own bytes. It always lands, even if only in words. */
export async function send(intent: Intent, number: number, doing: Doing): Promise<Flight> {
  const { service, speaking, limits, clock, observer } = doing;
  const url = endpoint(service.url, intent.kind);
  if (doing.interrupts.first.aborted)
    return { came: 'nothing', headersSent: false, trouble: 'it was interrupted' };
  const startedAtMs = clock.now();
  const landing = untilLanded(doing);
  observer.step(`attempt ${number}: POST ${url} (key ${intent.key})`);
  try {
    const flight = await observer.during(
      intent.kind === 'message' ? 'Sending the message' : 'Sending the transfer',
      service.line
        .fly(
          { url, token: speaking.token, body: intent.body },
          { timeoutMs: limits.timeoutMs, cut: landing.cut },
        )
        .catch(brokenLine),
    );
    const what = flight.came === 'reply' ? `status ${flight.status}` : flight.trouble;
    observer.step(`attempt ${number}: ${what}, ${clock.now() - startedAtMs} ms`);
    return flight;
  } finally {
    landing.over();
  }
}

/** A line that throws says nothing of how far it came: the worst is taken for true. */
function brokenLine(error: unknown): Flight {
  const what = error instanceof Error ? error.message : String(error);
  return { came: 'nothing', headersSent: true, trouble: `the attempt itself failed (${what})` };
}

const landingMs = 5000;

/** After the first signal the flight may land for a while; the second ends it now. */
function untilLanded({ interrupts, clock }: Doing): { cut: AbortSignal; over: () => void } {
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
