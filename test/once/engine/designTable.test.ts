import { expect, test } from 'vitest';
import {
  allowed,
  bodies2xx,
  bodyCases,
  cells,
  claims,
  decide,
  equalPayment,
  type HoldReason,
  holdReasons,
  impossible,
  judge,
  namesAnother,
  questions,
  type Reply,
  settlings,
  situations,
  wordCases,
  wordsOf409,
} from './design.ts';
import { key, repliesOf409 } from './repliesOf409.ts';

test('section 4 answers every situation, with at most nine plans and each row in use', () => {
  const plans = new Set<string>();
  const rows = new Set<number>();
  let possible = 0;
  for (const cell of cells(situations)) {
    const decision = decide(cell);
    if (impossible(cell) !== undefined) continue;
    possible++;
    rows.add(decision.row);
    plans.add(decision.plan);
    if (decision.sends && ['sending, owner alive', 'held', 'declined'].includes(cell.found))
      expect.fail(JSON.stringify({ cell, decision }));
  }
  expect(possible).toBeGreaterThan(500);
  expect([...rows].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(plans.size).toBeLessThanOrEqual(9);
});

const row = { mode: 'batch row', named: true, skipRepeats: true, repeat: false, rowOfInput: false } as const;
const other = { inDoubt: false, proposes: false, sameEntry: false, sameOrigin: true, heldInDoubt: true };
const unasked = { asks: false, saidYes: false, wasThere: false, mayHavePaid: 'within 12 h' } as const;
const skipped = { ...row, ...other, ...unasked };

test('section 5 answers every question, with each answer in use', () => {
  const does = new Set<string>();
  for (const settling of cells(settlings))
    for (const state of questions.state) does.add(equalPayment({ ...skipped, state }, settling).does);
  for (const cell of cells(questions)) does.add(equalPayment(cell).does);
  expect([...does].sort()).toEqual(['ask', 'pay', 'skip', 'skip as resolved', 'stop', 'usage error']);
});

function* replies(): Generator<Reply> {
  const nothing = { status: 0, body: 'no result', words: 'none' } as const;
  yield { got: 'headers never left', ...nothing };
  yield { got: 'nothing whole', ...nothing };
  // A body matters only with a 2xx, words only with a 409.
  for (let status = 100; status < 600; status++)
    for (const body of status >= 200 && status < 300 ? bodyCases : [nothing.body])
      for (const words of status === 409 ? wordCases : [nothing.words])
        yield { got: 'reply', status, body, words };
}

const yesOrNo = [false, true] as const;
const asked = {
  kind: ['message', 'payment'],
  named: yesOrNo,
  inDoubt: yesOrNo,
  sentBefore: yesOrNo,
  refusedHere: yesOrNo,
} as const;

test('section 6 judges every status and body, with each verdict in use', () => {
  const verdicts = new Set<string>();
  for (const reply of replies())
    for (const about of cells(asked)) {
      const { verdict, again, ends, why } = judge(reply, about);
      verdicts.add(`${verdict}${again ? ', again' : ''}`);
      if ((ends === 'held') !== (why !== undefined)) expect.fail(JSON.stringify({ reply, about }));
      // What was in doubt is never refused, and never open again.
      if (about.inDoubt && ['open', 'rejected'].includes(ends)) expect.fail(JSON.stringify({ reply, about }));
    }
  expect(verdicts.size).toBe(8);
});

test('the words of a 409 and the bodies of a 2xx are as their examples say', () => {
  for (const [, body, expected] of repliesOf409) expect.soft(wordsOf409(body, key), body).toBe(expected);
  const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
  for (const [body, example] of bodies2xx('failed', 'queued', to).payment) {
    if (body === 'no result') continue;
    const reply = JSON.parse(example);
    const ours = { to, asset: 'SOL', amount: '1.5' };
    const another = namesAnother(ours, reply) || namesAnother(ours, reply.transfer ?? {});
    expect.soft(another, example).toBe(body === 'another payment');
  }
});

test('section 7 answers every claim', () => {
  const says = new Set<string>();
  for (const cell of cells(claims)) says.add(allowed(cell).says);
  expect([...says].sort()).toEqual(['goes on', 'held', 'needs a name', 'refused']);
});

test('at most ten reasons hold an entry, each in use and with one sentence', () => {
  const used = new Set<HoldReason | undefined>();
  for (const cell of cells(situations)) used.add(decide(cell).why);
  for (const reply of replies()) for (const about of cells(asked)) used.add(judge(reply, about).why);
  for (const cell of cells(claims)) {
    const answer = allowed(cell);
    if (answer.says === 'held') used.add(answer.why);
  }
  used.delete(undefined);
  expect([...used].sort()).toEqual(Object.keys(holdReasons).sort());
  expect(used.size).toBeLessThanOrEqual(10);
  for (const says of Object.values(holdReasons)) expect(says).toMatch(/^[^.]+\.$/u);
});
