import { describe, expect, test } from 'vitest';
import {
  judge,
  namesAnother,
  type ReplyFacts,
  rowFor,
  type VerdictRow,
  verdictTable,
  wordsIn,
} from '../../../src/once/engine/replyMeaning.ts';
import type { Kind } from '../../../src/once/entry/wanted.ts';
import { type Flight, readReply } from '../../../src/once/wire/flight.ts';
import {
  type Asked,
  type Body2xx,
  bodies2xx,
  judge as byDesign,
  cells,
  type Judged,
  type Reply,
  type Words,
} from './design.ts';
import { key, repliesOf409 } from './repliesOf409.ts';

const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const bodies = bodies2xx('failed', 'queued', to);
const request = {
  message: { conversation_id: 'c', content: 'hello' },
  transfer: { to_address: to, asset: 'SOL', amount: '1.5' },
} as const;

const yesOrNo = [false, true] as const;
const asked = {
  kind: ['message', 'payment'],
  named: yesOrNo,
  inDoubt: yesOrNo,
  sentBefore: yesOrNo,
  refusedHere: yesOrNo,
} as const;
const kindOf = (kind: Asked['kind']): Kind => (kind === 'payment' ? 'transfer' : 'message');

const hit = new Set<VerdictRow>();

function judged(flight: Flight, about: Asked, isTaken = false): Judged {
  const kind = kindOf(about.kind);
  const parsed = flight.came === 'reply' ? readReply(flight) : undefined;
  const body = Buffer.from(JSON.stringify(request[kind]));
  const isAnother = parsed?.json !== undefined && namesAnother({ kind, body }, parsed.json);
  const evidence: ReplyFacts = {
    ...about,
    kind,
    flight,
    parsed,
    words: wordsIn(flight, { key }),
    isAnother,
    isTaken,
  };
  hit.add(rowFor(evidence));
  const { verdict, next, heldAtEnd, heldReason: why, duplicate } = judge(evidence);
  const stays = about.inDoubt || verdict === 'unknown' ? 'unknown' : 'open';
  const ended = verdict === 'unsent' || verdict === 'limited' || verdict === 'unknown' ? stays : verdict;
  return {
    verdict: duplicate ? 'duplicate' : verdict,
    again: next === 'try-again',
    ends: heldAtEnd ? 'held' : ended,
    ...(why && { why }),
  };
}

/** Without the warning, which is told from the journal. */
function expected(reply: Parameters<typeof byDesign>[0], about: Asked): Judged {
  const { warns: _warns, ...rest } = byDesign(reply, about);
  return rest;
}

function reply(status: number, text: string, ended: 'whole' | 'broken' | 'too-long' = 'whole'): Flight {
  return { came: 'reply', status, headers: {}, body: Buffer.from(text), ended };
}

const nothing = (headersSent: boolean, upgraded?: true): Flight => ({
  came: 'nothing',
  headersSent,
  trouble: { is: 'no-answer' },
  ...(upgraded && { upgraded }),
});

const none = { got: 'reply', body: 'no result', words: 'none' } as const;
const wordsOfCode: Record<Words, string> = {
  none: '',
  repetition: '{"code":"x_409","message":"duplicate idempotency key"}',
  'under way': '{"code":"idempotency_in_progress"}',
  other: '{"code":"api_key_revoked"}',
};

describe('what one attempt proves is what the design says', () => {
  test.each([...cells(asked)])(
    '$kind, named $named, in doubt $inDoubt, sent before $sentBefore, refused here $refusedHere',
    (about) => {
      const wrong: unknown[] = [];
      // A comparison by `expect` costs more than the judgement, and there are 20,000.
      const compare = (status: number, text: string, row: Pick<Reply, 'body' | 'words'>): void => {
        const [is, should] = [
          judged(reply(status, text), about),
          expected({ ...none, status, ...row }, about),
        ];
        for (const field of ['verdict', 'again', 'ends', 'why'] as const)
          if (is[field] !== should[field]) wrong.push({ status, text, is, should });
      };
      for (let status = 100; status <= 599; status++) {
        if (status >= 200 && status < 300) {
          // The status of a success decides nothing more: all bodies for some, some for all.
          const some = [200, 201, 299].includes(status) ? bodies[about.kind] : bodies[about.kind].slice(0, 2);
          for (const [body, text] of some) compare(status, text, { ...none, body });
          continue;
        }
        const said = Object.entries(status === 409 ? wordsOfCode : { none: '' }) as [Words, string][];
        for (const [words, text] of said) compare(status, text, { ...none, words });
      }
      expect(wrong).toEqual([]);
      expect(judged(nothing(false), about)).toEqual(
        expected({ ...none, got: 'headers never left', status: 0 }, about),
      );
      const lost = expected({ ...none, got: 'nothing whole', status: 0 }, about);
      expect(judged(nothing(true), about)).toEqual(lost);
      for (const status of [200, 303, 400, 401, 402, 404, 409, 429, 500])
        expect(judged(reply(status, '{"mess', 'broken'), about)).toEqual(lost);
      // Another protocol is an answer, but no final one.
      expect(judged(nothing(true, true), about)).toEqual(expected({ ...none, status: 101 }, about));
      // Its status is known.
      for (const status of [200, 400, 401, 409, 500])
        expect(judged(reply(status, 'x', 'too-long'), about)).toEqual(
          expected({ ...none, status, words: 'other' }, about),
        );
    },
  );

  test('also of an id that belongs to another entry', () => {
    const [, fine = ''] = bodies.payment.find(([body]) => body === 'fine') ?? [];
    for (const about of cells(asked))
      if (about.kind === 'payment') {
        const body: Body2xx = 'id of another entry';
        expect(judged(reply(201, fine), about, true)).toEqual(
          expected({ ...none, status: 201, body }, about),
        );
      }
  });

  test('and every row of the table is in use', () => {
    expect(verdictTable.filter((row) => !hit.has(row)).map(({ came }) => came)).toEqual([]);
  });

  test('as is a 409 by its words, wherever services say them, and by nothing else', () => {
    const about = {
      kind: 'message',
      named: true,
      inDoubt: false,
      sentBefore: false,
      refusedHere: false,
    } as const;
    for (const [, body, words] of repliesOf409)
      expect
        .soft({ body, ...judged(reply(409, body), about) })
        .toEqual({ body, ...expected({ ...none, status: 409, words }, about) });
  });
});
