import type { AttemptEnd, Intent } from '../journal/journal.ts';
import type { Flight, Reply } from '../wire/flight.ts';
import { type Reading, readReply, retryAfterMs } from '../wire/reading.ts';
import type { Doing } from './doing.ts';
import { type Judgement, judge } from './verdict.ts';

/** What came back, as it goes on record, and what it proves. */
export type Judged = { readonly end: AttemptEnd; readonly judgement: Judgement };

function phaseOf(flight: Flight): AttemptEnd['phase'] {
  if (flight.came === 'reply') return 'replied';
  return flight.headersSent ? 'sent' : 'not-sent';
}

const keptHeaders =
  /^(content-type|retry-after|date|server|via|x-request-id|request-id|x-ratelimit-.*|location)$/u;

export function judgeFlight(flight: Flight, intent: Intent, number: number, doing: Doing): Judged {
  const reading: Reading | undefined = flight.came === 'reply' ? readReply(flight) : undefined;
  const judgement = judge({
    kind: intent.kind,
    flight,
    reading,
    tainted: intent.tainted,
    firstHeardOfName: intent.namedBy !== undefined && isFirstHeard(intent, number, doing),
  });
  const headers = flight.came === 'reply' ? flight.headers : {};
  const end: AttemptEnd = {
    phase: phaseOf(flight),
    verdict: judgement.verdict,
    status: flight.came === 'reply' ? flight.status : undefined,
    requestId: reading?.requestId,
    trouble: troubleIn(flight),
    retryAfterMs: retryAfterMs(askingHeaders(headers, judgement), doing.clock.now()),
    duplicate: judgement.duplicate === true,
    verified: judgement.unverified !== true,
    reply: flight.came === 'reply' ? flight.body : undefined,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => keptHeaders.test(name))),
  };
  return { end, judgement };
}

/** A rate limit's reset comes with every reply of some services; only where it was hit does it ask to wait. */
function askingHeaders(headers: Reply['headers'], { verdict }: Judgement): Reply['headers'] {
  if (verdict === 'limited') return headers;
  const { 'x-ratelimit-reset': _reset, ...others } = headers;
  return others;
}

/** No earlier attempt in this journal was answered by anything but "not now". */
function isFirstHeard(intent: Intent, number: number, { journal }: Doing): boolean {
  if (number === 1) return true;
  try {
    return journal
      .attemptsOf(intent.id)
      .every(
        (attempt) =>
          attempt.number === number || attempt.verdict === 'unsent' || attempt.verdict === 'limited',
      );
  } catch {
    // A reply is here and must be told: where the journal cannot say more, less is taken for proven.
    return false;
  }
}

function troubleIn(flight: Flight): string | undefined {
  if (flight.came === 'nothing') return flight.trouble;
  if (flight.ended === 'broken') return 'the reply broke off';
  return flight.ended === 'too-long' ? 'the reply was longer than botctl reads' : undefined;
}
