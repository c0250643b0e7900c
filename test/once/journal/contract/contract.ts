import { describe, expect, test } from 'vitest';
import { unitsOf } from '../../../../src/once/entry/amount.ts';
import type { BaseUrl } from '../../../../src/once/entry/baseUrl.ts';
import { asFailure } from '../../../../src/once/failures.ts';
import type {
  Entry,
  GuardedWork,
  Guards,
  NewEntry,
  Observation,
  Selection,
  Transaction,
} from '../../../../src/once/journal/journal.ts';
import {
  allOf,
  baseUrl,
  countStates,
  done,
  endWith,
  type JournalInHand,
  newEntry,
  nowMs,
} from '../../../support/journals.ts';
import { troubles } from '../../../support/troubles.ts';
import { known, narrowings, suits } from './narrowings.ts';

/** A store that is to keep what every journal promises. */
export type StoreUnderTest<Place> = {
  newPlace(): Promise<Place>;
  /** Opens it, as another process would; it is closed after the test. */
  open(place: Place): Promise<JournalInHand>;
  /** Everybody takes this owner for dead although it lives: what it sends is on record as `unknown`. */
  declareDead(place: Place, owner: string): Promise<void>;
};

const beforeSending: Guards = { beforeSending: true };

export function describeContract<Place>(name: string, store: StoreUnderTest<Place>): void {
  const openNew = async (): Promise<JournalInHand> => store.open(await store.newPlace());
  const ids = async (journal: JournalInHand, selection: Partial<Selection> = {}): Promise<string[]> =>
    (await allOf(journal.select({ limit: 1000, ...selection }))).map(({ id }) => id);

  describe(name, () => {
    describe('an entry', () => {
      test('comes back as it was begun', async () => {
        const journal = await openNew();
        const entry = newEntry({
          kind: 'transfer',
          payment: 'p',
          namedBy: 'row',
          name: 'n',
          rowId: 'r',
          columns: JSON.stringify({ note: 'é\0\ud800' }),
          body: Buffer.from('é\0'),
        });
        const begun = await journal.begin(entry, 'hash', nowMs);
        const { body, ...rest } = entry;
        const kept = await journal.get(entry.id);
        expect({ ...begun, body: kept?.body }).toEqual(kept);
        expect(kept).toMatchObject({
          ...rest,
          state: 'sending',
          wasInDoubt: false,
          attempts: 1,
          owner: journal.self(),
          createdAtMs: nowMs,
        });
        expect(Buffer.from(kept?.body ?? []).equals(body)).toBe(true);
        expect((await journal.findByKey({ baseUrl, kind: 'transfer' }, entry.key))?.id).toBe(entry.id);
        expect(await journal.findByKey({ baseUrl, kind: 'message' }, entry.key)).toBeUndefined();
      });

      test('keeps what every attempt brought, verbatim', async () => {
        const journal = await openNew();
        const entry = newEntry();
        const { attempts: number } = await journal.begin(entry, 'hash', nowMs + 1);
        expect(await journal.attemptsOf(entry.id)).toMatchObject([
          { number, startedAtMs: nowMs + 1, verdict: undefined, duplicate: false, headers: {} },
        ]);
        const end = endWith('rejected', {
          status: 404,
          requestId: 'r\u001b[31m',
          trouble: { is: 'connection', code: 'C', text: 't' },
          retryAfterMs: 315_360_000_000,
          duplicate: true,
          reply: Buffer.from([0, 255, 123]),
          headers: { 'x-a': '1', __proto: '2' },
        });
        await journal.endAttempt(entry.id, number, end, nowMs + 2);
        const [attempt] = await journal.attemptsOf(entry.id);
        expect(attempt).toEqual({
          ...end,
          reply: attempt?.reply,
          number,
          startedAtMs: nowMs + 1,
          endedAtMs: nowMs + 2,
        });
        expect(Buffer.from(attempt?.reply ?? []).equals(Buffer.from([0, 255, 123]))).toBe(true);
      });

      test('keeps every trouble with all that is known of it', async () => {
        const journal = await openNew();
        const { id } = await journal.begin(newEntry(), 'hash', nowMs);
        for (const [nth, [trouble]] of troubles.entries()) {
          if (nth > 0) await journal.startAttempt(id, 'hash', nowMs);
          const end = endWith('unsent', { phase: 'not-sent', status: undefined, trouble });
          await journal.endAttempt(id, nth + 1, end, nowMs);
        }
        const kept = (await journal.attemptsOf(id)).map(({ trouble }) => trouble);
        expect(kept).toEqual(troubles.map(([trouble]) => trouble));
        expect((await journal.decisiveAttempt(id))?.trouble).toEqual(kept.at(-1));
      });

      test('keeps the text of a trouble as Unicode, and without a NUL', async () => {
        const journal = await openNew();
        const { id } = await journal.begin(newEntry(), 'hash', nowMs);
        const trouble = { is: 'connection', code: 'E\0', text: 'a\0\ud800 \\u0000' } as const;
        await journal.endAttempt(id, 1, endWith('unsent', { phase: 'not-sent', trouble }), nowMs);
        const [attempt] = await journal.attemptsOf(id);
        expect(attempt?.trouble).toEqual({
          is: 'connection',
          code: 'E\ufffd',
          text: 'a\ufffd\ufffd \\u0000',
        });
      });

      test('without a name is looked for by its identity: an unfinished one first, else the newest', async () => {
        const journal = await openNew();
        const identity = 'same';
        expect(await journal.findUnnamed(identity, 0)).toBeUndefined();
        const unknown = await done(journal, 'unknown', { identity });
        await done(journal, 'accepted', { identity });
        expect((await journal.findUnnamed(identity, 0))?.id).toBe(unknown);
        await journal.hold(unknown, 'w', nowMs);
        expect((await journal.findUnnamed(identity, 0))?.id).toBe(unknown);
        const later = await done(journal, 'accepted', { identity }, nowMs + 1);
        expect((await journal.findUnnamed(identity, 0))?.id).toBe(unknown);
        expect((await journal.findUnnamed(identity, nowMs + 1))?.id).toBe(later);
        expect(await journal.findUnnamed(identity, nowMs + 2)).toBeUndefined();
      });

      test('is claimed by one only, and tried only by whom it is claimed', async () => {
        const place = await store.newPlace();
        const one = await store.open(place);
        const other = await store.open(place);
        const entry = newEntry();
        await one.begin(entry, 'h', nowMs);
        await expect(other.claim(entry.id, nowMs)).rejects.toThrow('is being sent already');
        await expect(other.startAttempt(entry.id, 'h', nowMs)).rejects.toThrow(
          'is not claimed by this process',
        );
        expect((await one.get(entry.id))?.attempts).toBe(1);
        const started = await one.startAttempt(entry.id, 'h2', nowMs + 1);
        expect(started).toMatchObject({ attempts: 2, owner: one.self(), ownerLives: true, tokenHash: 'h2' });
        expect(await one.attemptsOf(entry.id)).toMatchObject([{ number: 1 }, { startedAtMs: nowMs + 1 }]);
        await expect(one.begin({ ...newEntry(), key: entry.key }, 'h', nowMs)).rejects.toThrow();
      });
    });

    describe('what is concluded', () => {
      test.each(['accepted', 'rejected', 'unknown', 'held', 'open'] as const)(
        'as %s has no owner any more',
        async (state) => {
          const journal = await openNew();
          const { id } = await journal.begin(newEntry(), 'h', nowMs);
          await journal.endAttempt(id, 1, endWith(state === 'open' ? 'unsent' : state), nowMs + 1);
          expect(await journal.conclude(id, state, 'no-proof', nowMs + 2)).toBe(true);
          const heldReason = 'no-proof';
          expect(await journal.get(id)).toMatchObject({
            state,
            owner: undefined,
            ownerLives: false,
            heldReason,
          });
        },
      );

      test('before an attempt has the body that it has by then', async () => {
        const journal = await openNew();
        const id = await done(journal, 'rejected', { namedBy: 'once', name: 'n' });
        const to = { bot: 'another', body: Buffer.from('{}'), fingerprint: 'another', payment: undefined };
        await journal.rewrite(id, to);
        await journal.claim(id, nowMs + 1);
        await journal.conclude(id, 'open', undefined, nowMs + 2);
        expect(await journal.get(id)).toMatchObject({
          state: 'open',
          fingerprint: 'another',
          ownerLives: false,
          attempts: 1,
        });
      });

      test('is reported once', async () => {
        const journal = await openNew();
        const id = await done(journal, 'accepted');
        await journal.markReported(id, nowMs + 1);
        await journal.markReported(id, nowMs + 2);
        expect((await journal.get(id))?.reportedAtMs).toBe(nowMs + 1);
      });
    });

    describe('a change of one entry', () => {
      const named = (name: string) =>
        ({ namedBy: 'once', name, kind: 'transfer', payment: '["p","sol","1"]' }) as const;
      const word = { who: 'w', atMs: nowMs, reason: 'r', signature: undefined };

      async function inEveryState(journal: JournalInHand) {
        const all = (verdict: Parameters<typeof done>[1]) => done(journal, verdict, named(verdict));
        const begun = [newEntry(named('open')), newEntry(named('sending'))] as const;
        for (const entry of begun) await journal.begin(entry, 'h', nowMs);
        await journal.endAttempt(begun[0].id, 1, endWith('unsent'), nowMs);
        await journal.conclude(begun[0].id, 'open', undefined, nowMs);
        const resolved = await all('unknown');
        await journal.decide(resolved, { ...word, kind: 'happened' });
        const [accepted, rejected, unknown, held] = [
          ...[await all('accepted'), await all('rejected'), await all('unknown'), await all('held')],
        ] as const;
        const [open, sending] = begun.map(({ id }) => id) as [string, string];
        return { open, sending, accepted, rejected, unknown, held, resolved } as const;
      }

      test('leaves all others as they are, whatever is changed', async () => {
        const journal = await openNew();
        const others = Object.values(await inEveryState(journal));
        const ours = await inEveryState(journal);
        const identity = 'two of one';
        const unfinished = await done(journal, 'unknown', { identity });
        await done(journal, 'accepted', { identity });
        const seen = async (): Promise<unknown> => [
          (await journal.findUnnamed(identity, 0))?.id,
          ...(await Promise.all(
            others.map(async (id) => [
              await journal.get(id),
              await journal.attemptsOf(id),
              await journal.decisionsOf(id),
              await journal.receiptsOf(id),
            ]),
          )),
        ];
        const before = await seen();
        const receipt = { origin: 'o', what: 'transfer-id', value: 'v' } as const;
        await journal.keepReceipts(ours.accepted, [receipt]);
        await journal.markReported(ours.accepted, nowMs + 1);
        const to = { bot: 'payer', body: Buffer.from('{}'), fingerprint: 'g', payment: '["q","sol","1"]' };
        await journal.rewrite(ours.rejected, to);
        await journal.hold(ours.open, 'approval', nowMs + 1);
        await journal.hold(ours.unknown, 'no-proof', nowMs + 1);
        for (const kind of ['send-again', 'did-not-happen'] as const)
          await journal.decide(ours.held, { ...word, kind });
        await journal.claim(ours.rejected, nowMs + 1);
        await journal.startAttempt(ours.rejected, 'h2', nowMs + 1);
        await journal.endAttempt(ours.rejected, 2, endWith('accepted'), nowMs + 2);
        await journal.conclude(ours.rejected, 'accepted', undefined, nowMs + 2);
        expect(await seen()).toEqual(before);
        expect(before).toContain(unfinished);
        expect([await journal.receiptsOf(ours.accepted), await journal.receiptsOf(ours.open)]).toEqual([
          [receipt],
          [],
        ]);
        expect(await journal.otherHolder(ours.open, [receipt])).toBe(ours.accepted);
        expect(await journal.otherHolder(ours.open, [{ ...receipt, value: 'w' }])).toBeUndefined();
        expect(await journal.otherHolder(ours.accepted, [receipt])).toBeUndefined();
        expect(await journal.findUnnamed('none', 0)).toBeUndefined();
      });
    });

    describe('a signature', () => {
      const signed = (value: string) => [{ origin: 'o', what: 'signature', value }] as const;
      const transfer = (payment = 'p') => ({ kind: 'transfer', payment }) as const;

      test('is held by an entry, whoever gave it, or as a chain showed it', async () => {
        const journal = await store.open(await store.newPlace());
        const id = await done(journal, 'accepted', transfer());
        await journal.keepReceipts(id, signed('s1'));
        await journal.keepReceipts(id, [{ origin: 'o', what: 'transfer-id', value: 's2' }]);
        const seen = { verdict: 'contradicted', atMs: nowMs, genesis: 'g', facts: '{}' } as const;
        await journal.observe(id, { ...seen, signature: 's3' });
        const many = Array.from({ length: 1200 }, (_, n) => `none-${n}`);
        expect((await journal.signaturesHeld(['s3', ...many, 's2', 's1'])).sort()).toEqual(['s1', 's3']);
        expect(await journal.signaturesHeld([])).toEqual([]);
      });

      test('is missing from what was paid, or may have been', async () => {
        const journal = await store.open(await store.newPlace());
        const states = ['accepted', 'unknown', 'held', 'rejected'] as const;
        const ids: string[] = [];
        for (const state of states) ids.push(await done(journal, state, transfer(), nowMs));
        await journal.keepReceipts(await done(journal, 'accepted', transfer(), nowMs), signed('s1'));
        await done(journal, 'accepted', {}, nowMs);
        expect(await journal.unsigned(nowMs)).toEqual(ids.slice(0, 3));
        // What is not settled may still be paid.
        expect(await journal.unsigned(nowMs + 1)).toEqual(ids.slice(1, 3));
      });
    });

    test('an accepted payment can be noted, which changes nothing else; and is found where it was tried again', async () => {
      const journal = await store.open(await store.newPlace());
      const id = await done(journal, 'unknown', { kind: 'transfer', payment: 'p' });
      await done(journal, 'accepted', { kind: 'transfer', payment: 'p' });
      await journal.claim(id, nowMs);
      await journal.startAttempt(id, 'h', nowMs);
      await journal.endAttempt(id, 2, endWith('accepted'), nowMs);
      await journal.conclude(id, 'accepted', undefined, nowMs);
      const before = await journal.get(id);
      expect(await journal.repeated()).toEqual([before]);
      const note = { kind: 'happened', who: 'w', atMs: nowMs, reason: 'r', signature: undefined } as const;
      await journal.decide(id, note);
      expect(await journal.get(id)).toEqual(before);
      expect(await journal.decisionsOf(id)).toMatchObject([{ kind: 'happened' }]);
    });

    describe('an owner that comes late', () => {
      type Overtaken = { late: JournalInHand; now: JournalInHand; id: string; number: number };

      /** Begun and tried by `late`, whom everybody then takes for dead. */
      async function overtaken(wanted: Partial<NewEntry> = {}): Promise<Overtaken> {
        const place = await store.newPlace();
        const late = await store.open(place);
        const now = await store.open(place);
        await done(now, 'unknown', { namedBy: 'once', name: 'other' });
        const entry = newEntry({ namedBy: 'once', name: 'n', ...wanted });
        const { attempts: number } = await late.begin(entry, 'h', nowMs);
        await store.declareDead(place, late.self());
        expect(await now.get(entry.id)).toMatchObject({ state: 'unknown', owner: undefined });
        return { late, now, id: entry.id, number };
      }

      async function lateAccepted({ late, id, number }: Overtaken): Promise<boolean> {
        await late.endAttempt(id, number, endWith('accepted'), nowMs + 9);
        return late.conclude(id, 'accepted', undefined, nowMs + 9);
      }

      const decided = (kind: 'happened' | 'did-not-happen') => (late: Overtaken) =>
        late.now.decide(late.id, { kind, who: 'w', atMs: nowMs, reason: 'r', signature: undefined });

      test.each<[string, (late: Overtaken) => Promise<void>]>([
        ['unknown', async () => {}],
        ['held', ({ now, id }) => now.hold(id, 'w', nowMs)],
        ['resolved as happened', decided('happened')],
        ['resolved as did-not-happen', decided('did-not-happen')],
        ['being sent by another', ({ now, id }) => now.claim(id, nowMs)],
      ])('records accepted over %s', async (_state, meanwhile) => {
        const late = await overtaken();
        await meanwhile(late);
        expect(await lateAccepted(late)).toBe(false);
        const { now, id } = late;
        expect(await now.get(id)).toMatchObject({
          state: 'accepted',
          owner: undefined,
          resolvedAs: undefined,
        });
        expect((await now.decisiveAttempt(id))?.verdict).toBe('accepted');
      });

      test('the one who sends meanwhile is told, and its own reply is kept', async () => {
        const late = await overtaken();
        const { now, id } = late;
        await now.claim(id, nowMs);
        const { attempts: second } = await now.startAttempt(id, 'h', nowMs);
        await lateAccepted(late);
        await now.endAttempt(id, second, endWith('unknown', { status: 500 }), nowMs + 10);
        expect(await now.conclude(id, 'unknown', undefined, nowMs + 10)).toBe(false);
        expect((await now.get(id))?.state).toBe('accepted');
        expect((await now.attemptsOf(id)).map(({ verdict }) => verdict)).toEqual(['accepted', 'unknown']);
        expect((await now.decisiveAttempt(id))?.number).toBe(1);
      });

      test.each(['unknown', 'rejected', 'open', 'held'] as const)('changes nothing by %s', async (state) => {
        const { late, now, id } = await overtaken();
        expect(await late.conclude(id, state, undefined, nowMs)).toBe(false);
        expect((await now.get(id))?.state).toBe('unknown');
      });

      test.each(['unknown', 'held', 'rejected'] as const)(
        'brings no doubt back by %s: what a person decided stands',
        async (verdict) => {
          const overdue = await overtaken();
          await decided('did-not-happen')(overdue);
          const { late, now, id, number } = overdue;
          await late.endAttempt(id, number, endWith(verdict), nowMs + 9);
          expect(await now.get(id)).toMatchObject({ state: 'resolved', inDoubtSinceMs: undefined });
          expect(await now.attemptsOf(id)).toMatchObject([{ verdict: 'unknown', phase: 'process-died' }]);
        },
      );
    });

    describe('a decision', () => {
      test('is kept with who, when and why, and the doubt begins anew after it', async () => {
        const journal = await openNew();
        const id = await done(journal, 'unknown', { namedBy: 'once', name: 'n' });
        expect((await journal.get(id))?.inDoubtSinceMs).toBe(nowMs);
        const decision = {
          kind: 'did-not-happen',
          who: 'a@b',
          atMs: 5,
          reason: 'r',
          signature: undefined,
        } as const;
        await journal.decide(id, decision);
        expect(await journal.decisionsOf(id)).toEqual([{ ...decision, role: journal.role }]);
        expect(await journal.get(id)).toMatchObject({
          state: 'resolved',
          resolvedAs: 'did-not-happen',
          wasInDoubt: true,
          inDoubtSinceMs: undefined,
        });
      });

      test.each([
        ['happened', 'resolved', nowMs],
        ['did-not-happen', 'resolved', undefined],
        ['send-again', 'unknown', 5],
      ] as const)('%s leaves it %s, in doubt since %j', async (kind, state, since) => {
        const journal = await openNew();
        const id = await done(journal, 'unknown', { namedBy: 'once', name: 'n' });
        await journal.decide(id, { kind, who: 'a@b', atMs: 5, reason: 'r', signature: 's' });
        expect(await journal.get(id)).toMatchObject({ state, inDoubtSinceMs: since });
        expect(await journal.decisionsOf(id)).toMatchObject([{ kind, signature: 's' }]);
        expect(await journal.decisionsOf('none')).toEqual([]);
      });

      test('about a proposal is kept for its body, and only declining it ends it', async () => {
        const journal = await openNew();
        const proposal = newEntry({ kind: 'transfer', payment: 'p' });
        const proposed = await journal.propose(proposal, 'approval', nowMs);
        expect(proposed).toMatchObject({ state: 'held', owner: undefined, ownerLives: false });
        const { id, fingerprint } = proposed;
        const decisions = (['proposed', 'approved', 'declined'] as const).map((kind, index) => ({
          ...{ kind, who: 'a@b', atMs: nowMs + index, reason: 'r', signature: undefined, fingerprint },
        }));
        for (const [index, decision] of decisions.entries()) {
          await journal.decide(id, decision);
          expect(await journal.get(id)).toMatchObject({
            state: ['held', 'open', 'declined'][index],
            approved: index === 1,
            inDoubtSinceMs: undefined,
          });
        }
        expect(await journal.decisionsOf(id)).toEqual(
          decisions.map((decision) => ({ ...decision, role: journal.role })),
        );
      });

      test.each(['sending', 'resolved'] as const)(
        'is what a proposal waits for before it is %s',
        async (next) => {
          const journal = await openNew();
          const { id, fingerprint } = await journal.propose(
            newEntry({ kind: 'transfer', payment: 'p' }),
            'approval',
            nowMs,
          );
          const word = { who: 'a@b', atMs: nowMs, reason: 'r', signature: undefined, fingerprint };
          await journal.decide(id, { ...word, kind: 'proposed' });
          const goOn = () =>
            next === 'sending' ? journal.claim(id, nowMs) : journal.decide(id, { ...word, kind: 'happened' });
          await expect(goOn()).rejects.toThrow();
          await journal.decide(id, { ...word, kind: 'approved' });
          // It may wait for approval again: then the approval is none.
          await journal.hold(id, 'approval', nowMs + 1);
          expect(await journal.get(id)).toMatchObject({ state: 'held', approved: false });
          await expect(goOn()).rejects.toThrow();
          await journal.decide(id, { ...word, kind: 'approved' });
          await goOn();
          expect(await journal.get(id)).toMatchObject({ state: next, approved: true });
        },
      );

      test('that cannot be carried out is not kept', async () => {
        const journal = await openNew();
        const id = await done(journal, 'accepted');
        await expect(
          journal.decide(id, {
            kind: 'did-not-happen',
            who: 'w',
            atMs: 1,
            reason: 'r',
            signature: undefined,
          }),
        ).rejects.toThrow();
        expect(await journal.decisionsOf(id)).toEqual([]);
      });
    });

    describe('an equal payment', () => {
      const payment = '["9WzD","usdc","25"]';
      const transfer = { kind: 'transfer', payment } as const;
      const named = (name: string) => ({ ...transfer, namedBy: 'once', name }) as const;
      const row = (name: string, rowId: string) => ({ ...transfer, namedBy: 'row', name, rowId }) as const;
      const about = { payment, origin: baseUrl, id: 'mine', batch: '', sinceMs: nowMs };
      const latest = async (journal: Pick<Transaction, 'equalEntries'>, more: Partial<typeof about> = {}) =>
        (await journal.equalEntries({ ...about, ...more }))[0];
      const word = { who: 'w', atMs: nowMs, reason: 'r', signature: undefined };

      test.each(['accepted', 'unknown', 'held'] as const)('is one that is %s', async (verdict) => {
        const journal = await openNew();
        const id = await done(journal, verdict, named('other'));
        expect(await latest(journal)).toMatchObject({ id, name: 'other', countsAtMs: nowMs });
        expect(await journal.commit((tx) => latest(tx))).toMatchObject({ id });
        expect(await latest(journal, { id })).toBeUndefined();
        expect(await allOf(journal.select({ limit: 9 }))).toEqual([await journal.get(id)]);
        const later = await latest(journal, { sinceMs: nowMs + 1 });
        expect(later?.id).toBe(verdict === 'accepted' ? undefined : id);
      });

      test('is one that is being sent, or that a person said to have happened, at its latest claim', async () => {
        const journal = await openNew();
        const sending = newEntry(named('sending'));
        await journal.begin(sending, 'h', nowMs - 1);
        expect(await latest(journal)).toMatchObject({ id: sending.id, state: 'sending' });
        const other = await openNew();
        const id = await done(other, 'unknown', named('late'), nowMs - 100);
        await other.claim(id, nowMs);
        await other.startAttempt(id, 'h', nowMs);
        await other.endAttempt(id, 2, endWith('unknown'), nowMs);
        await other.conclude(id, 'unknown', undefined, nowMs);
        await other.decide(id, { ...word, kind: 'happened' });
        expect(await latest(other)).toMatchObject({ id, countsAtMs: nowMs });
        expect(await latest(other, { sinceMs: nowMs + 1 })).toBeUndefined();
      });

      test('is none that was not paid, or is another, or is elsewhere', async () => {
        const journal = await openNew();
        await done(journal, 'rejected', named('a'));
        await done(journal, 'accepted', { ...named('b'), payment: '["9WzD","usdc","26"]' });
        await done(journal, 'accepted', { ...named('c'), payment: '["9WzE","usdc","25"]' });
        for (const url of [`${baseUrl}:1`, `${baseUrl}.evil/a`, `${baseUrl}-2`, 'sandbox'])
          await done(journal, 'accepted', { ...named(url), baseUrl: url as BaseUrl });
        const { id } = await journal.propose(newEntry(named('d')), 'approval', nowMs);
        await journal.propose(newEntry(named('e')), 'approval', nowMs);
        const undone = await done(journal, 'unknown', named('f'));
        await journal.decide(undone, { ...word, kind: 'did-not-happen' });
        // Another one has paid it, so nothing was ever sent for it.
        await journal.decide(id, { ...word, kind: 'happened' });
        expect(await journal.get(id)).toMatchObject({
          state: 'resolved',
          resolvedAs: 'happened',
          attempts: 0,
        });
        expect(await latest(journal)).toBeUndefined();
        const path = await done(journal, 'accepted', { ...named('g'), baseUrl: `${baseUrl}/a` as BaseUrl });
        expect((await latest(journal))?.id).toBe(path);
      });

      test('are told from the latest on, without the rows of a batch that is left out', async () => {
        const journal = await openNew();
        await done(journal, 'accepted', { ...named('first'), key: 'k1' }, nowMs);
        await done(journal, 'accepted', { ...row('mine', '1'), key: 'k2' }, nowMs + 2);
        await done(journal, 'accepted', { ...named('mine'), key: 'k3' }, nowMs + 1);
        await done(journal, 'unknown', { ...named('earlier, in doubt'), key: 'k4' }, nowMs - 1000);
        const keys = async (batch: string) =>
          (await journal.equalEntries({ ...about, batch })).map(({ key }) => key);
        expect([await keys(''), await keys('mine')]).toEqual([
          ['k2', 'k3', 'k1', 'k4'],
          ['k3', 'k1', 'k4'],
        ]);
        await done(journal, 'accepted', { ...row('mine', '2'), key: 'k5' });
        const [first, ...more] = await journal.rowsSince('mine', 0);
        expect([first, ...more]).toMatchObject([{ key: 'k2' }, { key: 'k5' }]);
        expect(await journal.rowsSince('mine', first?.seq ?? 0)).toEqual(more);
        expect(await journal.latestSeq()).toBe(more[0]?.seq);
      });

      test('to somebody are counted with what may have been paid, and not with what was not', async () => {
        const journal = await openNew();
        const to = '9WzD';
        expect(await journal.paidBefore(to)).toEqual({ times: 0, lastMs: undefined });
        await done(journal, 'accepted', { ...named('a'), key: 'k1' }, nowMs);
        await done(journal, 'unknown', { ...named('b'), key: 'k2' }, nowMs + 5);
        await done(journal, 'rejected', { ...named('c'), key: 'k3' }, nowMs + 9);
        await journal.propose(newEntry({ ...named('d'), key: 'k4' }), 'approval', nowMs + 9);
        expect(await journal.paidBefore(to)).toEqual({ times: 2, lastMs: nowMs + 5 });
        expect(await journal.paidBefore('9Wz')).toMatchObject({ times: 0 });
      });

      test('are told with the other batches that made them, each with its latest', async () => {
        const journal = await openNew();
        const other = '["9WzD","usdc","26"]';
        await done(journal, 'accepted', { ...row('oct', '1'), key: 'k1' }, nowMs);
        await done(journal, 'unknown', { ...row('oct', '2'), key: 'k2' }, nowMs + 5);
        await done(journal, 'accepted', { ...row('nov', '1'), key: 'k3' }, nowMs);
        await done(journal, 'rejected', { ...row('sep', '1'), key: 'k4' }, nowMs);
        await done(journal, 'accepted', { ...named('one'), key: 'k5' }, nowMs);
        const paying = (batch: string, since: number) =>
          journal.batchesPaying([payment, other], batch, since);
        expect(await paying('nov', 0)).toEqual([{ payment, batch: 'oct', atMs: nowMs + 5 }]);
        expect(await paying('dec', 0)).toHaveLength(2);
        expect(await journal.batchesPaying([other], 'dec', 0)).toEqual([]);
        expect(await journal.batchesPaying([], 'dec', 0)).toEqual([]);
      });

      test('that settled another entry is told by that, until a person reverses it', async () => {
        const journal = await openNew();
        const by = await done(journal, 'accepted', named('paid'));
        const { id } = await journal.propose(newEntry(named('same')), 'approval', nowMs);
        expect(await journal.settledBy(payment, by)).toBeUndefined();
        await journal.decide(id, { ...word, kind: 'happened', reason: by });
        expect([
          await journal.settledBy(payment, by),
          await journal.settledBy('["9WzD","usdc","26"]', by),
        ]).toEqual([id, undefined]);
        await journal.decide(id, { ...word, kind: 'did-not-happen' });
        expect(await journal.settledBy(payment, by)).toBeUndefined();
      });

      test('is found by a body that took another’s place', async () => {
        const journal = await openNew();
        const id = await done(journal, 'rejected', { ...named('other'), payment: '["9WzD","usdc","24"]' });
        await journal.rewrite(id, { bot: 'payer', body: Buffer.from('{}'), fingerprint: 'f', payment });
        await journal.claim(id, nowMs);
        await journal.startAttempt(id, 'h', nowMs);
        expect((await latest(journal))?.id).toBe(id);
      });
    });

    describe('entries that begin so', () => {
      test('are found by id, two at most', async () => {
        const journal = await openNew();
        for (const id of ['aaaa1111', 'aaaa2222', 'cccc%'])
          await journal.begin(newEntry({ id, key: `aaaa-${id}` }), 'h', nowMs);
        const found = async (prefix: string): Promise<string[]> =>
          (await journal.startingWith(prefix)).map(({ id }) => id);
        expect(await found('aaaa1')).toEqual(['aaaa1111']);
        expect(await found('aaaa')).toHaveLength(2);
        expect(await found('cccc%')).toEqual(['cccc%']);
        for (const none of ['%', '____', 'aaaa-', 'AAAA1']) expect(await found(none)).toEqual([]);
      });
    });

    describe('a selection', () => {
      async function some(
        journal: JournalInHand,
      ): Promise<Record<'old' | 'unknown' | 'held' | 'transfer', string>> {
        const old = await done(journal, 'accepted', {}, nowMs - 1000);
        const unknown = await done(journal, 'unknown', {}, nowMs - 500);
        const held = await done(journal, 'held', {}, nowMs);
        const transfer = await done(journal, 'accepted', { kind: 'transfer', payment: 'p' }, nowMs);
        return { old, unknown, held, transfer };
      }

      test('is newest first, those of one moment in the order they began', async () => {
        const journal = await openNew();
        const { old, unknown, held, transfer } = await some(journal);
        expect(await ids(journal)).toEqual([transfer, held, unknown, old]);
        expect(await ids(journal, { limit: 2 })).toEqual([transfer, held]);
        expect(await ids(journal, { limit: 0 })).toEqual([]);
        expect(await ids(journal, { oldestFirst: true })).toEqual([old, unknown, held, transfer]);
        expect(await ids(journal, { states: [] })).toEqual([]);
      });

      test('that is narrowed in several ways at once has what suits each of them, in order', async () => {
        const journal = await openNew();
        const begun = await journal.commit(
          (tx) => Promise.all(known.map(({ entry, state, atMs }) => done(tx, state, entry, atMs))),
          beforeSending,
        );
        const newest = known
          .map((one, index) => ({ ...one, id: begun[index] }))
          .sort((one, other) => other.atMs - one.atMs);
        for (const narrowing of narrowings) {
          const those = newest.filter((one) => suits(one, narrowing)).map(({ id }) => id);
          const expected = narrowing.oldestFirst === true ? those.toReversed() : those;
          expect([narrowing, await ids(journal, narrowing)]).toEqual([narrowing, expected]);
        }
      });

      test('tells the recipients whose address begins so, each once', async () => {
        const journal = await openNew();
        const paid = ['adaX', 'adaY', 'adaX', 'bob', 'Ada'];
        for (const [n, to] of paid.entries()) {
          const payment = JSON.stringify([to, 'sol', '1']);
          await journal.commit(
            (tx) => done(tx, 'accepted', { namedBy: 'once', name: `n${n}`, kind: 'transfer', payment }),
            beforeSending,
          );
        }
        expect(await journal.reads.recipients('ada')).toEqual(['adaX', 'adaY']);
        expect(await journal.reads.recipients('b')).toEqual(['bob']);
        expect(await journal.reads.recipients('carol')).toEqual([]);
      });

      test('finds a transfer that was rejected by the recipient it was given since', async () => {
        const journal = await openNew();
        const payment = (to: string): string => JSON.stringify([to, 'sol', '1']);
        const named = { kind: 'transfer', namedBy: 'once', name: 'rent', payment: payment('ada') } as const;
        const id = await done(journal, 'rejected', named);
        const to = { bot: 'payer', body: Buffer.from('{}'), fingerprint: 'other', payment: payment('bob') };
        await journal.rewrite(id, to);
        expect(await ids(journal, { to: 'bob' })).toEqual([id]);
        expect(await ids(journal, { to: 'ada' })).toEqual([]);
        await journal.claim(id, nowMs);
        expect(await ids(journal, { to: 'bob', kind: 'transfer', states: ['sending'] })).toEqual([id]);
      });

      test('keeps how many rows the file of a batch has, and what they pay', async () => {
        const journal = await openNew();
        const scope = { baseUrl, kind: 'transfer', name: 'pay-11' } as const;
        const input = { ...scope, rows: 4, invalid: 1 };
        const nothing = { invalid: 0 };
        await journal.keepBatch({ ...input, ...nothing });
        await journal.keepBatch(input);
        expect(await journal.batchInputs('pay-11')).toEqual([input]);
        expect(await journal.batchInputs('pay')).toEqual([]);
        const empty = { ...scope, name: 'empty', rows: 0, ...nothing };
        await journal.keepBatch(empty);
        expect(await journal.batchInputs('empty')).toEqual([empty]);
        for (const [n, [name, amount]] of Object.entries([
          ['pay-11', '1.5'],
          ['pay-11', '1.5'],
          ['pay-12', '2'],
        ] as const)) {
          const payment = JSON.stringify(['ada', 'sol', amount]);
          await done(journal, 'accepted', { kind: 'transfer', namedBy: 'row', name, rowId: n, payment });
        }
        expect(await journal.rowsStanding('pay-11')).toMatchObject([
          { rows: 2, paid: { asset: 'sol', units: unitsOf('3') } },
        ]);
        expect(await journal.batchNames()).toEqual(['pay-12', 'pay-11']);
      });

      test('of rows tells how they stand, and counts how everything does', async () => {
        const journal = await openNew();
        expect(await journal.stateCounts()).toEqual({});
        const row = (rowId: string): Partial<NewEntry> => ({ namedBy: 'row', name: 'b', rowId });
        await done(journal, 'accepted', row('1'), nowMs - 300);
        await done(journal, 'accepted', row('2'), nowMs - 200);
        await done(journal, 'unknown', row('3'), nowMs - 100);
        await journal.begin(newEntry(row('4')), 'h', nowMs);
        await done(journal, 'held', { namedBy: 'once', name: 'b' }, nowMs - 400);
        await done(journal, 'held', { namedBy: 'once', name: 'b' }, nowMs - 300);
        const standings = await journal.rowsStanding('b');
        expect(standings.sort((one, other) => one.begunAtMs - other.begunAtMs)).toMatchObject([
          { state: 'accepted', rows: 2, bot: 'payer', begunAtMs: nowMs - 300, updatedAtMs: nowMs - 200 },
          { state: 'unknown', rows: 1, ownerLives: false },
          { state: 'sending', rows: 1, ownerLives: true, baseUrl, kind: 'message' },
        ]);
        expect(await journal.rowsStanding('c')).toEqual([]);
        expect(await journal.stateCounts()).toEqual({ accepted: 2, unknown: 1, sending: 1, held: 2 });
      });

      test('of many comes whole, each one once', async () => {
        const journal = await openNew();
        const begun: string[] = [];
        while (begun.length < 1200) {
          const some = await journal.commit(
            (tx) =>
              Promise.all(
                Array.from({ length: 100 }, (_, n) =>
                  tx.begin(newEntry({ namedBy: 'run', name: 'many' }), 'hash', nowMs + (n % 7)),
                ),
              ),
            beforeSending,
          );
          begun.push(...some.map(({ id }) => id));
        }
        const found = await ids(journal, { limit: Number.MAX_SAFE_INTEGER });
        expect(found).toHaveLength(1200);
        expect(new Set(found)).toEqual(new Set(begun));
        expect(await ids(journal, { limit: 1001 })).toEqual(found.slice(0, 1001));
        const oldest = await ids(journal, { limit: 1001, name: 'many', oldestFirst: true });
        expect(oldest).toEqual(found.toReversed().slice(0, 1001));
        for (const narrowing of [{ kind: 'message' }, { name: 'many' }] as const)
          expect(await ids(journal, { limit: 1001, ...narrowing })).toEqual(found.slice(0, 1001));
      });

      test('may be written to while it is read, also by another process', async () => {
        const place = await store.newPlace();
        const journal = await store.open(place);
        const other = await store.open(place);
        for (let nth = 0; nth < 5; nth += 1) await done(journal, 'unknown');
        for await (const { id } of journal.select({ states: ['unknown'], limit: 100 })) {
          await done(other, 'accepted');
          await journal.hold(id, 'w', nowMs);
        }
        expect(await countStates(journal)).toEqual({ accepted: 5, held: 5 });
      });

      test('may be left half read, and read twice at once', async () => {
        const journal = await openNew();
        for (let nth = 0; nth < 5; nth += 1) await done(journal, 'unknown');
        const seen: string[] = [];
        for await (const outer of journal.select({ limit: 2 })) {
          for await (const inner of journal.select({ limit: 2 })) {
            seen.push(`${outer.id}/${inner.id}`);
            if (seen.length % 2 === 0) break;
          }
        }
        expect(new Set(seen).size).toBe(4);
      });
    });

    describe('an observation of a chain', () => {
      const seen: Observation = {
        ...{ verdict: 'proven', atMs: nowMs, signature: 's', genesis: 'g' },
        facts: '{"slot":1}',
      };
      const unit = { origin: 'g', what: 'signature', value: 's' } as const;
      const transfer = { kind: 'transfer', payment: 'p' } as const;

      test('comes back as it was kept, oldest first', async () => {
        const journal = await openNew();
        const id = await done(journal, 'accepted', transfer);
        const nothing = { signature: undefined, genesis: undefined };
        const undecided: Observation = { ...seen, ...nothing, verdict: 'undecided' };
        await journal.observe(id, undecided);
        await journal.keepReceipts(id, [unit]);
        await journal.observe(id, seen);
        expect(await journal.observationsOf(id)).toEqual([undecided, seen]);
        expect(await journal.observationsOf(await done(journal, 'accepted', transfer))).toEqual([]);
      });

      test('proves nothing by a payment that is not the entry’s own', async () => {
        const journal = await openNew();
        const [one, other] = [
          await done(journal, 'accepted', transfer),
          await done(journal, 'accepted', transfer),
        ];
        await journal.keepReceipts(one, [unit]);
        await journal.keepReceipts(other, [unit]);
        const refusal = async (asked: Promise<void>): Promise<string> =>
          asFailure(await asked.catch((thrown: unknown) => thrown)).message;
        expect(await refusal(journal.observe(other, seen))).toContain('a payment of its own');
        for (const change of [{ genesis: 'h' }, { signature: 't' }])
          expect(await refusal(journal.observe(one, { ...seen, ...change }))).toContain(
            'a payment of its own',
          );
        await journal.observe(one, seen);
        expect(await journal.observationsOf(other)).toEqual([]);
      });

      test('of one payment is given to one of two who see it at once', async () => {
        const journal = await openNew();
        const entries = [
          await done(journal, 'accepted', transfer),
          await done(journal, 'accepted', transfer),
        ];
        const prove = (id: string): Promise<boolean> =>
          journal.commit(async (tx) => {
            if ((await tx.otherHolder(id, [unit])) !== undefined) return false;
            await tx.keepReceipts(id, [unit]);
            await tx.observe(id, seen);
            return true;
          });
        const proven = await Promise.all(entries.map(prove));
        expect(proven.filter(Boolean)).toHaveLength(1);
        const kept = await Promise.all(entries.map((id) => journal.observationsOf(id)));
        expect(kept.flat()).toEqual([seen]);
      });
    });

    describe('a token’s hash', () => {
      test('is the same for the journal’s life and says nothing elsewhere', async () => {
        const place = await store.newPlace();
        const first = await store.open(place);
        const hash = first.hashOf('token');
        expect(hash).toMatch(/^[0-9a-f]{64}$/u);
        expect((await store.open(place)).hashOf('token')).toBe(hash);
        expect(first.hashOf('other')).not.toBe(hash);
        expect((await openNew()).hashOf('token')).not.toBe(hash);
      });
    });

    describe('several changes at once', () => {
      test('are all made or none', async () => {
        const journal = await openNew();
        const entry = newEntry();
        const failing = journal.commit(async (tx) => {
          await tx.begin(entry, 'h', nowMs);
          throw new Error('no');
        }, beforeSending);
        await expect(failing).rejects.toThrow('no');
        expect(await journal.get(entry.id)).toBeUndefined();
        await journal.begin(entry, 'h', nowMs);
      });

      test('are seen within their commit, and nowhere else until it is made', async () => {
        const place = await store.newPlace();
        const [journal, other] = [await store.open(place), await store.open(place)];
        const entry = newEntry();
        let meanwhile: Promise<Entry | undefined> | undefined;
        const failing = journal.commit(async (tx) => {
          await tx.begin(entry, 'h', nowMs);
          meanwhile = journal.get(entry.id);
          expect((await tx.get(entry.id))?.state).toBe('sending');
          throw new Error('no');
        }, beforeSending);
        await expect(failing).rejects.toThrow('no');
        expect(await meanwhile).toBeUndefined();
        await journal.begin(entry, 'h', nowMs);
        expect((await other.get(entry.id))?.state).toBe('sending');
      });

      test('are made by nobody who still holds a commit that is over', async () => {
        const journal = await openNew();
        const { id } = await journal.begin(newEntry(), 'h', nowMs);
        const kept = await journal.commit(async (tx) => tx, beforeSending);
        const entry = newEntry();
        for (const tooLate of [
          () => kept.begin(entry, 'h', nowMs),
          () => kept.startAttempt(id, 'h', nowMs),
          () => kept.endAttempt(id, 1, endWith('rejected'), nowMs),
          () => kept.keepReceipts(id, [{ origin: 'o', what: 'transfer-id', value: 'v' }]),
          () => kept.conclude(id, 'accepted', undefined, nowMs),
        ])
          await expect(tooLate()).rejects.toThrow('this transaction is over');
        expect(await journal.get(entry.id)).toBeUndefined();
        expect(await journal.get(id)).toMatchObject({ state: 'sending', attempts: 1 });
      });

      test('of two commits are made one after the other', async () => {
        const journal = await openNew();
        const order: string[] = [];
        const step = (who: string) =>
          journal.commit(async (tx) => {
            order.push(who);
            for (let nth = 0; nth < 3; nth += 1) await tx.get('nothing');
            order.push(who);
          });
        await Promise.all([step('one'), step('two')]);
        expect([['one', 'one', 'two', 'two'].join(), ['two', 'two', 'one', 'one'].join()]).toContain(
          order.join(),
        );
      });
    });

    describe('several works in one commit', () => {
      const works = (entries: readonly NewEntry[], failing?: number): GuardedWork<string>[] =>
        entries.map((entry, index) => ({
          guards: beforeSending,
          work: async (tx) => {
            const { id } = await tx.begin(entry, 'h', nowMs);
            if (index === failing) throw new Error('cannot');
            return id;
          },
        }));

      test('where one fails it fails alone, and its neighbours are done once', async () => {
        const journal = await openNew();
        const entries = [newEntry(), newEntry(), newEntry()];
        const ends = await journal.commitTogether(works(entries, 1));
        expect(ends).toEqual([
          { status: 'fulfilled', value: entries[0]?.id },
          { status: 'rejected', reason: new Error('cannot') },
          { status: 'fulfilled', value: entries[2]?.id },
        ]);
        expect((await ids(journal)).sort()).toEqual([entries[0]?.id, entries[2]?.id]);
        expect((await allOf(journal.select({ limit: 9 }))).map(({ attempts }) => attempts)).toEqual([1, 1]);
      });

      test('where there is one that fails, it runs once', async () => {
        const journal = await openNew();
        let runs = 0;
        const work = async (): Promise<never> => {
          runs += 1;
          throw new Error('cannot');
        };
        const ends = await journal.commitTogether([{ guards: {}, work }]);
        expect([runs, ends]).toEqual([1, [{ status: 'rejected', reason: new Error('cannot') }]]);
      });

      test('see what those before them did', async () => {
        const journal = await openNew();
        const entry = newEntry();
        const [, found] = await journal.commitTogether<unknown>([
          { guards: beforeSending, work: (tx) => tx.begin(entry, 'h', nowMs) },
          { guards: beforeSending, work: async (tx) => (await tx.findByKey(entry, entry.key))?.id },
        ]);
        expect(found).toEqual({ status: 'fulfilled', value: entry.id });
      });

      test('end what they ask at once as if one after the other: attempts before their entries', async () => {
        const journal = await openNew();
        const [early, late] = [newEntry(), newEntry()];
        let runs = 0;
        for (const entry of [early, late])
          await journal.commit((tx) => tx.begin(entry, 'h', nowMs), beforeSending);
        await journal.commit((tx) => tx.endAttempt(early.id, 1, endWith('accepted'), nowMs + 1));
        const ends = await journal.commitTogether<unknown>([
          {
            guards: {},
            work: (tx) => {
              runs += 1;
              return tx.conclude(early.id, 'accepted', undefined, nowMs + 2);
            },
          },
          {
            guards: {},
            work: (tx) =>
              Promise.all([
                tx.endAttempt(late.id, 1, endWith('accepted'), nowMs + 2),
                tx.keepReceipts(late.id, []),
                tx.otherHolder(late.id, []),
                tx.conclude(late.id, 'accepted', undefined, nowMs + 2),
              ]),
          },
        ]);
        expect([runs, ...ends.map(({ status }) => status)]).toEqual([1, 'fulfilled', 'fulfilled']);
      });

      test('that must be alone with the same run one after the other', async () => {
        const journal = await openNew();
        const identity = 'the same';
        const begun = await journal.commitTogether(
          [newEntry({ identity }), newEntry({ identity })].map((entry) => ({
            guards: { ...beforeSending, alone: [identity] },
            work: async (tx) => {
              const found = await tx.findUnnamed(identity, 0);
              return (found ?? (await tx.begin(entry, 'h', nowMs))).id;
            },
          })),
        );
        expect(begun[1]).toEqual(begun[0]);
        expect(await ids(journal)).toHaveLength(1);
      });
    });
  });
}
