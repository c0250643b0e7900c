import { base58 } from '@scure/base';
// What a person may decide of an entry, by how it stands: resolve, decline, approve, send once more.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EntryAsShown } from '../../../src/once/engine/asShown.ts';
import { decideProposal, refuseProposal, resolveEntry, resume } from '../../../src/once/engine/resume.ts';
import { Failure } from '../../../src/once/failures.ts';
import { SourceFile } from '../../../src/once/journal/file/sourceFile.ts';
import type { Decision, Entry, Journal } from '../../../src/once/journal/journal.ts';
import { isApprovedByAnother } from '../../../src/policy/spend.ts';
import { policyOf } from '../../support/policies.ts';
import {
  endOf,
  lost,
  noRetries,
  once,
  paid,
  reply,
  ScriptedEngine,
  transfer,
  unsent,
} from '../../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

const rent = transfer({}, once('rent'));
const proposing = { proposes: true };
const small = { policies: [policyOf({ limits: { SOL: {} }, approve_above: { SOL: '1' } })] };

const id = async (): Promise<string> => (await scripted.only()).id;
const shown = async (): Promise<EntryAsShown> => scripted.shown(await id());
const approved = async (...replies: readonly (typeof unsent)[]) => {
  await scripted.run(rent, [], proposing);
  await scripted.answer(await id(), 'approved');
  if (replies.length > 0) await scripted.run(rent, replies, { ...noRetries, ...proposing });
};
const decided = (kind: 'happened' | 'did-not-happen') => async () => {
  await scripted.run(rent, [lost], noRetries);
  await scripted.decide(await id(), kind);
};
const after = (answer: typeof paid) => async () => void (await scripted.run(rent, [answer], noRetries));
const proposed = async () => void (await scripted.run(rent, [], proposing));

const standings = {
  open: after(unsent),
  unknown: after(lost),
  held: after(reply(200, 'OK')),
  accepted: after(paid),
  rejected: after(reply(402)),
  'being sent': async () => void (await scripted.beginSending(rent)),
  'sent by a dead process': () => scripted.die(rent),
  happened: decided('happened'),
  'did not happen': decided('did-not-happen'),
  proposed,
  declined: async () => {
    await proposed();
    await scripted.answer(await id(), 'declined');
  },
  'approved, not sent': () => approved(),
  'approved, not sent after all': () => approved(unsent),
  'approved and refused': () => approved(reply(402)),
  'approved and in doubt': () => approved(lost),
  'approved and made': () => approved(paid),
  'in doubt, above the limit': async () => {
    await scripted.run(rent, [lost], noRetries);
    await scripted.run(rent, [], small);
  },
};
type Standing = keyof typeof standings;

/** What came of it: how the entry stands now, or why it was refused. */
async function end(work: (journal: Journal) => Promise<Entry>): Promise<string> {
  try {
    const done = await work(scripted.open());
    return done.resolvedAs ?? (done.approved ? `approved, ${done.state}` : done.state);
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown.kind;
    throw thrown;
  }
}

describe('what a person may decide', () => {
  const undone = 'did-not-happen';
  const [no, is, was] = ['not-a-proposal', 'is-proposal', 'proposal-declined'];
  /** It did not happen. It is not wanted. It is approved. */
  const table: Readonly<Record<Standing, readonly string[]>> = {
    open: [undone, no, no],
    unknown: [undone, no, no],
    held: [undone, no, no],
    accepted: ['proven', no, no],
    rejected: ['proven', no, no],
    'being sent': ['being-sent', no, no],
    'sent by a dead process': [undone, no, no],
    happened: [undone, no, no],
    'did not happen': [undone, no, no],
    proposed: [is, 'declined', 'approved, open'],
    declined: [was, 'declined', was],
    'approved, not sent': ['is-approved', 'declined', 'approved, open'],
    'approved, not sent after all': ['is-approved', 'declined', 'approved, open'],
    'approved and refused': ['proven', 'declined', 'approved, rejected'],
    'approved and in doubt': [undone, no, 'approved, unknown'],
    'approved and made': ['proven', no, 'approved, accepted'],
    'in doubt, above the limit': [undone, no, no],
  };

  test.each(Object.keys(standings) as Standing[])('of what is %s', async (standing) => {
    const ends: string[] = [];
    for (const decide of [
      async (journal: Journal, one: string) =>
        resolveEntry(await scripted.shown(one), scripted.word('did-not-happen'), journal),
      async (journal: Journal, one: string) =>
        decideProposal(
          await scripted.shown(one),
          { ...scripted.word('declined'), kind: 'declined' },
          journal,
        ),
      async (journal: Journal, one: string) =>
        decideProposal(
          await scripted.shown(one),
          { ...scripted.word('approved'), kind: 'approved' },
          journal,
        ),
    ]) {
      scripted.remove();
      scripted = new ScriptedEngine();
      await standings[standing]();
      const one = await id();
      ends.push(await end((journal) => decide(journal, one)));
    }
    expect(ends).toEqual(table[standing]);
  });

  test('makes the signature that it names its own: another entry that is given it is held', async () => {
    const signature = base58.encode(new Uint8Array(64).fill(1));
    await standings.unknown();
    const found = { ...scripted.word('happened'), signature };
    await resolveEntry(await shown(), found, scripted.open());
    const given = reply(200, { transfer_id: 'tr_other', signature });
    const other = await scripted.run(transfer({ amount: '2' }, once('other')), [given]);
    expect(other).toMatchObject({ entry: { state: 'held', heldReason: 'id-taken' } });
    const [, held] = await scripted.entries();
    const again = resolveEntry(await scripted.shown(held?.id ?? ''), found, scripted.open());
    await expect(again).rejects.toMatchObject({ kind: 'signature-taken' });
  });

  test('shows the decision before it, where it is refused for that', async () => {
    const declined = { id: expect.any(String), declined: { kind: 'declined', who: 'me@here' } };
    await standings.declined();
    const journal = scripted.open();
    const word = scripted.word('did-not-happen');
    await expect(resolveEntry(await shown(), word, journal)).rejects.toMatchObject({ fields: declined });
    const approval = { ...scripted.word('approved'), kind: 'approved' } as const;
    await expect(decideProposal(await shown(), approval, journal)).rejects.toMatchObject({
      fields: declined,
    });
  });

  test('of a proposal is not to send it once more', async () => {
    await standings.proposed();
    const one = await scripted.only();
    expect(() => refuseProposal(one)).toThrow(expect.objectContaining({ fields: { id: one.id } }));
    for (const word of [undefined, scripted.word('send-again')])
      expect(endOf(await scripted.resume(one.id, [], word && { word }))).toBe('held');
  });
});

describe('what was proposed', () => {
  const kept = () => scripted.look(async (journal) => journal.decisionsOf(await id()));
  const byAda = { kind: 'proposed', who: 'ada@here' };

  test.each([
    ['new', [], /^asked for by --propose$/u, proposing],
    ['open', [unsent], /^asked for by --propose$/u, proposing],
    ['rejected', [reply(402)], /^asked for by --propose$/u, proposing],
    ['new and above the limit', [], /^\S+ SOL is above \S+ SOL, approve_above of /u, small],
    ['open and above the limit', [unsent], /^\S+ SOL is above \S+ SOL, approve_above of /u, small],
  ] as const)('is held, with who proposed it first: %s', async (_what, replies, reason, changes) => {
    if (replies.length > 0) await scripted.run(rent, replies, noRetries);
    expect(endOf(await scripted.run(rent, [], changes))).toBe('held');
    expect(endOf(await scripted.run(rent, [], { ...changes, who: 'bob@there' }))).toBe('held');
    const { heldReason, fingerprint } = await scripted.only();
    expect([heldReason, await kept()]).toMatchObject([
      'approval',
      [{ ...byAda, reason: expect.stringMatching(reason), fingerprint }],
    ]);
  });

  test('and declined is shown with that decision, and nothing sends it', async () => {
    await standings.declined();
    const declined = { declined: { kind: 'declined', who: 'me@here' } };
    for (const outcome of [await scripted.run(rent, [], proposing), await scripted.resume(await id(), [])])
      expect(outcome).toMatchObject(declined);
    for (const decision of [undefined, scripted.word('send-again')])
      expect(endOf(await resume(await shown(), scripted.engine(), decision))).toBe('replayed declined');
    expect(await kept()).toMatchObject([byAda, declined.declined]);
  });
});

test('in a journal that was moved while somebody was asked, nothing is decided', async () => {
  await approved();
  const seen = await shown();
  const journal = scripted.open();
  const source = SourceFile.open(scripted.path);
  source.closeFor('the server', 'ada', 0);
  source.close();
  const declining = { ...scripted.word('declined'), kind: 'declined' } as const;
  await expect(decideProposal(seen, declining, journal)).rejects.toMatchObject({ code: 'journal-moved' });
  const another = await scripted.run(transfer({}, once('other')), [], { ...proposing, journal });
  expect(another).toMatchObject({ because: 'refused', failure: { code: 'journal-moved' } });
  expect(await journal.reads.decisionsOf(seen.entry.id)).toHaveLength(2);
});

describe('another’s approval', () => {
  const other = {
    policies: [policyOf({ limits: { SOL: {} }, approvals: 'other', approve_above: { SOL: '1' } })],
  };

  test('is nothing that a file could tell: what needs it is refused there', async () => {
    for (const changes of [other, { ...other, ...proposing }])
      expect(endOf(await scripted.run(rent, [], changes))).toBe('not sent: refused');
    expect(await scripted.entries()).toEqual([]);
    await approved();
    expect(endOf(await scripted.run(rent, [], other))).toBe('not sent: refused');
    expect(endOf(await scripted.resume(await id(), [], other))).toBe('not sent: refused');
    expect(await scripted.only()).toMatchObject({ state: 'open', approved: true });
  });

  /** Each decision with the role of who made it, if that is known. */
  test.each([
    ['another role', 'proposed r, approved s', true],
    ['the same role', 'proposed r, approved r', false],
    ['another role than proposed it first', 'proposed r, proposed s, approved r', false],
    ['another role at last', 'proposed r, approved r, approved s', true],
    ['another role, of what was imported', 'proposed, approved, proposed r, approved s', true],
    ['no role', 'proposed r, approved', false],
    ['a role, if the proposer has none', 'proposed, approved s', false],
    ['a role, if nothing was proposed', 'approved s', false],
  ])('counts by the role: %s', (_what, made, counts) => {
    const decisions = made.split(', ').map((one) => {
      const [kind, role] = one.split(' ');
      return { ...scripted.word(kind as Decision['kind']), role };
    });
    expect(isApprovedByAnother(decisions)).toBe(counts);
  });
});

test.each([
  ['its age', {}, 31 * 60_000],
  ['a policy', { policies: [policyOf({ limits: { USDC: {} } })] }, 0],
])('what is held for %s alone has no proposer', async (_why, changes, laterMs) => {
  await scripted.run(rent, [lost], noRetries);
  scripted.clock.advance(laterMs);
  expect(endOf(await scripted.run(rent, [], changes))).toBe('held');
  expect(await scripted.look(async (journal) => journal.decisionsOf(await id()))).toEqual([]);
});
