/** A botctl that breaks the promise in one way, by replacing source text as it is bundled. */
export type Variant = {
  readonly name: string;
  readonly what: string;
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** The techniques, or parts of one, that are to catch it, the likeliest first. */
  readonly caughtBy: readonly string[];
};

export const variants: readonly Variant[] = [
  {
    name: 'journal-after-send',
    what: 'the intent is committed only when the reply has come',
    edits: [
      {
        file: 'src/once/journal/file/base.ts',
        from: "this.#database.exec(/* sql */ 'BEGIN IMMEDIATE');",
        to: "if (!this.#database.isTransaction) this.#database.exec(/* sql */ 'BEGIN IMMEDIATE');",
      },
      {
        file: 'src/once/journal/file/base.ts',
        from: "this.#database.exec('COMMIT');",
        to: `const flying = this.#database.prepare(
          "SELECT 1 FROM sqlite_schema WHERE name = 'attempts'").get() &&
          this.#database.prepare('SELECT 1 FROM attempts WHERE verdict IS NULL').get();
        if (!flying) this.#database.exec('COMMIT');`,
      },
    ],
    caughtBy: ['killed', 'faults'],
  },
  {
    name: 'policy-before-transaction',
    what: 'the policy is asked before the commit that claims, and not in it',
    edits: [
      {
        file: 'src/once/engine/claim.ts',
        from: 'return engine.commit((tx) => actOnPlan(identity, fresh, tx, engine, agreed, waitedFor), {',
        to: `const asked = await engine.mayClaim(fresh, undefined, engine.journal.reads, engine);
      const unheld = { ...engine, mayClaim: async () => (asked.is === 'refused' ? asked : { is: 'allowed' }) };
      return engine.commit((tx) => actOnPlan(identity, fresh, tx, unheld, agreed, waitedFor), {`,
      },
    ],
    caughtBy: ['concurrent'],
  },
  {
    name: 'whatever-was-shown',
    what: 'a decision is committed whatever others have done since the entry was shown',
    edits: [
      {
        file: 'src/once/engine/shown.ts',
        from: 'if (factsOf(shown) !== factsOf(await shownNow(id, tx)))',
        to: "if (factsOf(shown) === '' && (await shownNow(id, tx)))",
      },
    ],
    caughtBy: ['concurrent'],
  },
  {
    name: 'new-key-on-retry',
    what: 'every further attempt gets a key of its own',
    edits: [
      {
        file: 'src/once/engine/execute.ts',
        from: '{ url, token: bot.token, body: intent.body },',
        to: `{ url, token: bot.token, body: number === 1 ? intent.body : Buffer.from(
            Buffer.from(intent.body).toString().replace(intent.key, engine.chance.uuid())) },`,
      },
    ],
    caughtBy: ['faults', 'killed'],
  },
  {
    name: '5xx-is-rejected',
    what: 'a 5xx is taken as a rejection',
    edits: [
      {
        file: 'src/once/engine/verdict.ts',
        from: 'isStatus(408, 425)(evidence) || (statusOf(evidence) >= 500 && statusOf(evidence) <= 599),\n    ...same(unknownTryAgain),',
        to: 'isStatus(408, 425)(evidence) || statusOf(evidence) >= 500,\n    ...same(rejected),',
      },
    ],
    caughtBy: ['faults', 'killed'],
  },
  {
    name: 'tainted-402-is-rejected',
    what: 'a 4xx after doubt is taken as a rejection',
    edits: [
      {
        file: 'src/once/engine/verdict.ts',
        from: "tainted: held('refused-in-doubt'),",
        to: 'tainted: rejected,',
      },
    ],
    caughtBy: ['faults'],
  },
  {
    name: 'dead-is-unsent',
    what: 'what a dead process was sending is taken as unsent',
    edits: [
      {
        file: 'src/once/journal/verbs.ts',
        from: `SET state = 'unknown', owner = NULL, tainted = 1, updated_at = :at,
        may_have_landed_at = coalesce(may_have_landed_at, updated_at)`,
        to: "SET state = 'open', owner = NULL, updated_at = :at",
      },
      {
        file: 'src/once/journal/verbs.ts',
        from: "SET verdict = 'unknown', phase = 'process-died'",
        to: "SET verdict = 'unsent', phase = 'process-died'",
      },
    ],
    caughtBy: ['killed'],
  },
  {
    name: 'not-durable',
    what: 'commits are not synced to the disk (NORMAL instead of FULL)',
    edits: [
      {
        file: 'src/once/journal/file/opening.ts',
        from: "'PRAGMA synchronous = FULL; PRAGMA foreign_keys",
        to: "'PRAGMA synchronous = NORMAL; PRAGMA foreign_keys",
      },
      {
        file: 'src/once/journal/file/opening.ts',
        from: "pragma(database, 'synchronous')) !== 2",
        to: "pragma(database, 'synchronous')) !== 1",
      },
    ],
    caughtBy: ['killed'],
  },
  {
    name: 'nobody-waits',
    what: 'a second process does not wait for the first',
    edits: [
      {
        file: 'src/once/engine/planKinds.ts',
        from: "[({ state, ownerAlive }) => state === 'sending' && ownerAlive, 'wait'],",
        to: "[() => false, 'wait'],",
      },
    ],
    caughtBy: ['faults'],
  },
  {
    name: 'equal-not-asked',
    what: 'a payment is not compared with equal ones under other entries',
    edits: [
      {
        file: 'src/once/engine/claim.ts',
        from: "if (repeats === 'pay' || agreed?.pays === 'any') return undefined;",
        to: 'if (bot !== undefined) return undefined;',
      },
    ],
    caughtBy: ['concurrent', 'faults'],
  },
  {
    name: 'equal-outside-commit',
    what: 'equal payments are asked about before the commit that claims, and not in it',
    edits: [
      {
        file: 'src/once/engine/claim.ts',
        from: 'const equal = await equalPayment(payment, bot, tx, clock.now(), repeats?.besides);',
        to: 'const equal = await equalPayment(payment, bot, journal.reads, clock.now(), repeats?.besides);',
      },
      {
        file: 'src/once/engine/claim.ts',
        from: '{ bot, clock, repeats }: EngineContext,',
        to: '{ bot, clock, repeats, journal }: EngineContext,',
      },
    ],
    caughtBy: ['concurrent'],
  },
  {
    name: 'approval-of-another-body',
    what: 'an approval is taken for whatever body the entry has',
    edits: [
      {
        file: 'src/once/engine/planKinds.ts',
        from: '!(startsAgain(found) && !found.tainted && !found.proposed),',
        to: '!(startsAgain(found) && !found.tainted),',
      },
      {
        file: 'src/once/journal/schema.ts',
        from: "AND NOT EXISTS (SELECT 1 FROM decisions WHERE intent = OLD.seq AND kind = 'proposed'))`,",
        to: ')`,',
      },
    ],
    caughtBy: ['concurrent'],
  },
  {
    name: 'no-note',
    what: 'nothing that a journal acknowledged is noted on this machine',
    edits: [{ file: 'src/once/journal/store.ts', from: 'this.#note.note(latest);', to: 'void this.#note;' }],
    caughtBy: ['hurt'],
  },
  {
    name: 'note-before-the-commit',
    what: 'what a commit would record is noted before it is made',
    edits: [
      {
        file: 'src/once/journal/store.ts',
        from: '        latest = known;\n',
        to: '        this.#noteDown(known);\n',
      },
    ],
    caughtBy: ['killed'],
  },
  {
    name: 'lease-not-asked',
    what: 'a sender does not ask its lease before the headers leave',
    edits: [
      {
        file: 'src/postgres/openSharedJournal.ts',
        from: "return lease.isStale() ? { is: 'stale-claim' } : undefined;",
        to: 'return undefined;',
      },
    ],
    caughtBy: ['machines'],
  },
  {
    name: 'no-fence',
    what: 'an owner that others have ended goes on claiming in a shared journal',
    edits: [
      {
        file: 'src/postgres/lease.ts',
        from: 'if (rows.length > 0) return;',
        to: 'if (rows.length >= 0) return;',
      },
      {
        file: 'src/postgres/lease.ts',
        from: "fences ? 'WHERE o.ended_at IS NULL' : ''",
        to: "''",
      },
      {
        file: 'src/postgres/lease.ts',
        from: 'renewed_at = CASE WHEN o.ended_at IS NULL THEN',
        to: 'renewed_at = CASE WHEN false THEN',
      },
      {
        file: 'src/postgres/sharedSchema.ts',
        from: 'AND ended_at IS NULL)`;',
        to: ')`;',
      },
      {
        file: 'src/postgres/sharedSchema.ts',
        from: 'NEW.intent AND owners.ended_at IS NULL)',
        to: 'NEW.intent)',
      },
    ],
    caughtBy: ['machines'],
  },
  {
    name: 'no-identity-lock',
    what: 'two machines look for the same in a shared journal at the same time, and both begin it',
    edits: [
      {
        file: 'src/postgres/base.ts',
        from: '      lockOfWriters(this.#inputs.schema),\n',
        to: '',
      },
    ],
    caughtBy: ['machines'],
  },
  {
    name: 'rule-left-out',
    what: 'no rule of the schema keeps what may have happened from being called unsent',
    edits: [
      {
        file: 'src/once/journal/schema.ts',
        from: "`NEW.verdict IN ('unknown', 'held')`,",
        to: "'false',",
      },
    ],
    caughtBy: ['faults'],
  },
  {
    name: 'commit-not-awaited',
    what: 'a page counts as committed to a shared journal before the server has said so',
    edits: [
      {
        file: 'src/postgres/base.ts',
        from: "const { command } = await connection.query('COMMIT').catch((error: unknown) => {",
        to: `void connection.query('COMMIT').catch(() => {});
    const { command } = await Promise.resolve({ command: 'COMMIT' }).catch((error: unknown) => {`,
      },
    ],
    caughtBy: ['machines'],
  },
  {
    name: 'any-amount-proves',
    what: 'a payment of whatever amount to the recipient proves a transfer',
    edits: [
      {
        file: 'src/chain/payment.ts',
        from: 'if (gained === units) return lost === undefined || lost >= units ? match : doubt;',
        to: 'if (gained > 0n) return match;',
      },
    ],
    caughtBy: ['chain'],
  },
  {
    name: 'proof-without-claim',
    what: 'a transaction that proves a transfer is not made its own',
    edits: [
      {
        file: 'src/chain/search.ts',
        from: 'return (await reads.otherHolder(id, receiptsFor(baseUrl, signature, cluster))) !== undefined;',
        to: 'return (await reads.otherHolder(id, receiptsFor(baseUrl, signature, cluster))) === null;',
      },
    ],
    caughtBy: ['chain'],
  },
  {
    name: 'time-not-judged',
    what: 'a payment of another time proves a transfer',
    edits: [
      {
        file: 'src/chain/verdict.ts',
        from: 'return !isNamed && (blockTimeS === undefined || 1000 * blockTimeS < atMs - graceMs);',
        to: 'return !isNamed && (blockTimeS === undefined || 1000 * blockTimeS < atMs - 1e9 * graceMs);',
      },
    ],
    caughtBy: ['chain'],
  },
  {
    name: 'paid-again-not-looked-for',
    what: 'nobody looks for more than one payment',
    edits: [
      {
        file: 'src/chain/verify.ts',
        from: 'if (!wasRepeated(intent) || isPaidAgain(view)',
        to: 'if (wasRepeated(intent) || isPaidAgain(view)',
      },
    ],
    caughtBy: ['chain'],
  },
  {
    name: 'paid-again-not-told',
    what: 'nothing says of a service that was asked twice that it may have paid twice',
    edits: [
      {
        file: 'src/chain/verdict.ts',
        from: "return kind === 'transfer' && state === 'accepted' && tainted && attempts > 1;",
        to: "return kind === 'transfer' && state === 'accepted' && tainted && attempts < 1;",
      },
    ],
    caughtBy: ['faults'],
  },
];
