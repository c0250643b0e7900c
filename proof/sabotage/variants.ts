import type { Reads } from '../../src/once/journal/journal.ts';

type Modules = {
  'chain/payment': typeof import('../../src/chain/payment.ts');
  'chain/search': typeof import('../../src/chain/search.ts');
  'chain/verdict': typeof import('../../src/chain/verdict.ts');
  'once/engine/claim': typeof import('../../src/once/engine/claim.ts');
  'once/engine/equal': typeof import('../../src/once/engine/equal.ts');
  'once/engine/execute': typeof import('../../src/once/engine/execute.ts');
  'once/engine/planKinds': typeof import('../../src/once/engine/planKinds.ts');
  'once/engine/asShown': typeof import('../../src/once/engine/asShown.ts');
  'once/engine/replyMeaning': typeof import('../../src/once/engine/replyMeaning.ts');
  'once/journal/file/opening': typeof import('../../src/once/journal/file/opening.ts');
  'once/journal/note': typeof import('../../src/once/journal/note.ts');
  'once/journal/schema': typeof import('../../src/once/journal/schema.ts');
  'once/journal/store': typeof import('../../src/once/journal/store.ts');
  'once/journal/verbs': typeof import('../../src/once/journal/verbs.ts');
  'policy/spend': typeof import('../../src/policy/spend.ts');
  'postgres/base': typeof import('../../src/postgres/base.ts');
  'postgres/connection': typeof import('../../src/postgres/connection.ts');
  'postgres/lease': typeof import('../../src/postgres/lease.ts');
  'postgres/sharedSchema': typeof import('../../src/postgres/sharedSchema.ts');
};

/** What a module of src exports under a name, and what stands there instead. */
export type Seam = { readonly module: string; readonly name: string; readonly by: string };

/** `by` goes into the program as text: it has what it is given, and no import. */
function seam<
  Module extends keyof Modules,
  Name extends keyof Modules[Module] & string,
  Given extends readonly string[],
>(
  module: Module,
  name: Name,
  by: (sound: Modules[Module][Name], ...given: Given) => Modules[Module][Name],
  ...given: Given
): Seam {
  const more = given.map((one) => `, ${JSON.stringify(one)}`).join('');
  return { module, name, by: more === '' ? `${by}` : `(sound) => (${by})(sound${more})` };
}

/** A botctl that breaks the promise in one way, by other things under names that its modules export. */
export type Variant = {
  readonly name: string;
  readonly what: string;
  readonly seams: readonly Seam[];
  /** The techniques, or parts of one, that are to catch it, the likeliest first. */
  readonly caughtBy: readonly string[];
};

/** In the commit that claims, a question is answered as the journal stood before it. */
const askedBefore = (question: 'spending' | 'equalEntries'): Seam =>
  seam(
    'once/engine/claim',
    'claim',
    (claim, question) =>
      (order, engine, ...rest) => {
        type Ask = (about: string | { readonly payment?: string }, since: number) => Promise<unknown>;
        const ask = (reads: Reads): Ask => reads[question as 'spending'] as unknown as Ask;
        const commit: typeof engine.commit = async (work, guards) => {
          const { reads } = engine.journal;
          const seen = new Map<unknown, unknown>();
          const look: Ask = async (about, since) => {
            const found = await ask(reads)(about, since);
            seen.set(typeof about === 'string' ? about : about.payment, structuredClone(found));
            return found;
          };
          // It ends where it would write.
          await work({ ...reads, [question]: look } as never).catch(() => {});
          return engine.commit((tx) => {
            const asSeen: Ask = async (about, since) => {
              const key = typeof about === 'string' ? about : about.payment;
              return seen.has(key) ? seen.get(key) : ask(tx)(about, since);
            };
            return work({ ...tx, [question]: asSeen });
          }, guards);
        };
        return claim(order, { ...engine, commit }, ...rest);
      },
    question,
  );

export const variants: readonly Variant[] = [
  {
    name: 'journal-after-send',
    what: 'the entry is committed only when the reply has come',
    seams: [
      seam('once/journal/file/opening', 'openFile', (openFile) => (...given) => {
        const opened = openFile(...given);
        const { database } = opened;
        const exec = database.exec.bind(database);
        database.exec = (sql) => {
          const isFlying = (): boolean =>
            database.prepare('SELECT 1 FROM attempts WHERE verdict IS NULL').get() !== undefined;
          const isLeft = sql === 'BEGIN IMMEDIATE' ? database.isTransaction : sql === 'COMMIT' && isFlying();
          if (!isLeft) exec(sql);
        };
        return opened;
      }),
    ],
    caughtBy: ['killed', 'faults'],
  },
  {
    name: 'policy-before-transaction',
    what: 'the policy is asked before the commit that claims, and not in it',
    seams: [askedBefore('spending')],
    caughtBy: ['concurrent'],
  },
  {
    name: 'whatever-was-shown',
    what: 'a decision is committed whatever others have done since the entry was shown',
    seams: [seam('once/engine/asShown', 'refuseChanged', () => async () => {})],
    caughtBy: ['concurrent'],
  },
  {
    name: 'new-key-on-retry',
    what: 'every further attempt gets a key of its own',
    seams: [
      seam(
        'once/engine/execute',
        'makeAttempt',
        (send) =>
          ({ entry, number, ...claim }, lastCheck, engine) => {
            const text = new TextDecoder().decode(entry.body);
            const body = new TextEncoder().encode(text.replace(entry.key, engine.chance.uuid()));
            return send(
              { ...claim, number, entry: number === 1 ? entry : { ...entry, body } },
              lastCheck,
              engine,
            );
          },
      ),
    ],
    caughtBy: ['faults', 'killed'],
  },
  {
    name: 'new-key-after-did-not-happen',
    what: 'what a person says did not happen, and has no name, is begun under a new key',
    seams: [
      seam('once/engine/planKinds', 'planFor', (planFor) => (found) => {
        const isBegunAgain = !found.named && found.resolvedAs === 'did-not-happen';
        return isBegunAgain ? 'new-entry' : planFor(found);
      }),
    ],
    caughtBy: ['concurrent'],
  },
  {
    name: '5xx-is-rejected',
    what: 'a 5xx is taken as a rejection',
    seams: [
      seam('once/engine/replyMeaning', 'judge', (judge) => (evidence) => {
        const { flight } = evidence;
        const isWhole = flight.came === 'reply' && flight.ended !== 'broken';
        return isWhole && flight.status >= 500 ? { verdict: 'rejected', next: 'done' } : judge(evidence);
      }),
    ],
    caughtBy: ['faults', 'killed'],
  },
  {
    name: 'inDoubt-402-is-rejected',
    what: 'a 4xx after doubt is taken as a rejection',
    seams: [
      seam('once/engine/replyMeaning', 'judge', (judge) => (evidence) => {
        const ruling = judge(evidence);
        const isRefused = ruling.heldReason === 'refused-in-doubt';
        return isRefused ? { verdict: 'rejected', next: 'done' } : ruling;
      }),
    ],
    caughtBy: ['faults'],
  },
  {
    name: 'dead-is-unsent',
    what: 'what a dead process was sending is taken as unsent',
    seams: [
      seam('once/journal/verbs', 'writesOf', (writesOf) => (ask, base, onKnown) => ({
        ...writesOf(ask, base, onKnown),
        recordDeath: async (id, at) => {
          const [row] = await ask(base.verbs.get, { id });
          const owner = row?.owner;
          if (typeof owner !== 'string' || !(await base.owners.endOwner(owner, ask))) return;
          const unsent = { verdict: 'unsent', phase: 'process-died', endedAtMs: at, headers: '{}' };
          await ask(base.verbs.endAttempt, { id, number: Number(row?.attempts), ...unsent });
          await ask(base.verbs.conclude, { id, owner, state: 'open', at });
        },
      })),
    ],
    caughtBy: ['killed'],
  },
  {
    name: 'not-durable',
    what: 'commits are not synced to the disk (NORMAL instead of FULL)',
    seams: [
      seam('once/journal/file/opening', 'openFile', (openFile) => (...given) => {
        const opened = openFile(...given);
        opened.database.exec('PRAGMA synchronous = NORMAL');
        return opened;
      }),
    ],
    caughtBy: ['killed'],
  },
  {
    name: 'nobody-waits',
    what: 'a second process does not wait for the first',
    seams: [
      seam(
        'once/engine/planKinds',
        'planFor',
        (planFor) => (found) => planFor({ ...found, ownerAlive: false }),
      ),
    ],
    caughtBy: ['faults'],
  },
  {
    name: 'equal-not-asked',
    what: 'a payment is not compared with equal ones under other entries',
    seams: [seam('once/engine/equal', 'equalPayments', () => async () => [])],
    caughtBy: ['concurrent', 'faults'],
  },
  {
    name: 'equal-outside-commit',
    what: 'equal payments are asked about before the commit that claims, and not in it',
    seams: [askedBefore('equalEntries')],
    caughtBy: ['concurrent'],
  },
  {
    name: 'approval-of-another-body',
    what: 'an approval is taken for whatever body the entry has',
    seams: [
      seam('once/engine/planKinds', 'planFor', (planFor) => (found) => planFor({ ...found, decided: false })),
      seam('once/journal/schema', 'frozenBody', ([on, , says]) => [on, 'false', says] as const),
      seam(
        'once/journal/schema',
        'approvedBy',
        (approvedBy) => (decisions) => approvedBy(decisions).replace('= entries.fingerprint', 'IS NOT NULL'),
      ),
    ],
    caughtBy: ['concurrent'],
  },
  {
    name: 'limit-of-what-is-asked',
    what: 'a limit counts what was asked about in the same commit and not sent',
    seams: [
      seam('policy/spend', 'spendWithin', (spendWithin) => async (...given) => {
        const word = await spendWithin(...given);
        if (word.is !== 'allowed') return word;
        word.reserve?.();
        return { is: 'allowed' };
      }),
    ],
    caughtBy: ['concurrent'],
  },
  {
    name: 'no-note',
    what: 'nothing that a journal acknowledged is noted on this machine',
    seams: [
      seam(
        'once/journal/note',
        'Note',
        (Note) =>
          class extends Note {
            override note(): void {}
          },
      ),
    ],
    caughtBy: ['hurt'],
  },
  {
    name: 'note-before-the-commit',
    what: 'what a commit would record is noted before it is made',
    seams: [
      seam(
        'once/journal/store',
        'Store',
        (Store) =>
          class extends Store {
            constructor(...[base, note]: ConstructorParameters<typeof Store>) {
              super(Object.assign(base, { note }), note);
            }
          },
      ),
      seam(
        'once/journal/verbs',
        'writesOf',
        (writesOf) => (ask, base, onKnown) =>
          writesOf(ask, base, (known) => {
            onKnown(known);
            (base as typeof base & { note: { note(one: typeof known): void } }).note.note(known);
          }),
      ),
    ],
    caughtBy: ['killed'],
  },
  {
    name: 'lease-not-asked',
    what: 'a sender does not ask its lease before the headers leave',
    seams: [
      seam(
        'postgres/lease',
        'Lease',
        (Lease) =>
          class extends Lease {
            override isStale(): boolean {
              return false;
            }
          },
      ),
    ],
    caughtBy: ['machines'],
  },
  {
    name: 'no-fence',
    what: 'an owner that others have ended goes on claiming in a shared journal',
    seams: [
      seam(
        'postgres/lease',
        'Lease',
        (Lease) =>
          class extends Lease {
            override fence(): void {}
            override renewalOn(on: { readonly here: string }, timeline: number): string {
              return super.renewalOn(on, timeline, false);
            }
          },
      ),
      seam('postgres/sharedSchema', 'fences', () => []),
    ],
    caughtBy: ['machines'],
  },
  {
    name: 'no-identity-lock',
    what: 'two machines look for the same in a shared journal at the same time, and both begin it',
    seams: [seam('postgres/base', 'lockOfWriters', () => () => 'SELECT 1')],
    caughtBy: ['machines'],
  },
  {
    name: 'rule-left-out',
    what: 'no rule of the schema keeps what may have happened from being called unsent',
    seams: [seam('once/journal/schema', 'consequences', () => [])],
    caughtBy: ['faults'],
  },
  {
    name: 'commit-not-awaited',
    what: 'a page counts as committed to a shared journal before the server has said so',
    seams: [
      seam('postgres/connection', 'PgConnection', (PgConnection) => {
        const { query } = PgConnection.prototype;
        PgConnection.prototype.query = async function (text, values) {
          const answer = query.call(this, text, values);
          if (text !== 'COMMIT') return answer;
          answer.catch(() => {});
          return { command: 'COMMIT', rows: [] };
        };
        return PgConnection;
      }),
    ],
    caughtBy: ['machines'],
  },
  {
    name: 'any-amount-proves',
    what: 'a payment of whatever amount to the recipient proves a transfer',
    seams: [
      seam('chain/payment', 'findPayment', (findPayment) => (payment, transaction) => {
        const found = findPayment(payment, transaction);
        const own = transaction.changes.filter(
          ({ account, owner, mint }) =>
            mint === payment.mint && (account === payment.to || owner === payment.to),
        );
        const units = own.reduce((sum, one) => sum + one.units, 0n);
        if (found.is === 'match' || units <= 0n) return found;
        return { is: 'match', units, decimals: own[0]?.decimals ?? 0, received: units };
      }),
    ],
    caughtBy: ['chain'],
  },
  {
    name: 'proof-without-claim',
    what: 'a transaction that proves a transfer is not made its own',
    seams: [seam('chain/verdict', 'isHeldByAnother', () => async () => false)],
    caughtBy: ['chain'],
  },
  {
    name: 'time-not-judged',
    what: 'a payment of another time proves a transfer',
    seams: [
      seam(
        'chain/verdict',
        'judgeLook',
        (judgeLook) => (look, isAnothers, beginning) =>
          judgeLook(look, isAnothers, { ...beginning, atMs: Number.NEGATIVE_INFINITY }),
      ),
    ],
    caughtBy: ['chain'],
  },
  {
    name: 'paid-again-not-looked-for',
    what: 'nobody looks for more than one payment',
    seams: [seam('chain/search', 'othersPaid', () => async () => undefined)],
    caughtBy: ['chain'],
  },
  {
    name: 'paid-again-not-told',
    what: 'nothing says of a service that was asked twice that it may have paid twice',
    seams: [seam('chain/verdict', 'wasRepeated', () => () => false)],
    caughtBy: ['faults'],
  },
];
