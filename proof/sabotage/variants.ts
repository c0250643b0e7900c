/** A botctl that breaks the promise in one way, by replacing source text as it is bundled. */
export type Variant = {
  readonly name: string;
  readonly what: string;
  /** By file: what stands there once, and what stands there instead. */
  readonly edits: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The techniques, or parts of one, that are to catch it, the likeliest first. */
  readonly caughtBy: readonly string[];
};

export const variants: readonly Variant[] = [
  {
    name: 'journal-after-send',
    what: 'the entry is committed only when the reply has come',
    edits: {
      'src/once/journal/file/base.ts': {
        "this.#database.exec(/* sql */ 'BEGIN IMMEDIATE');":
          "if (!this.#database.isTransaction) this.#database.exec(/* sql */ 'BEGIN IMMEDIATE');",
        "this.#database.exec('COMMIT');": `const flying = this.#database.prepare(
          "SELECT 1 FROM sqlite_schema WHERE name = 'attempts'").get() &&
          this.#database.prepare('SELECT 1 FROM attempts WHERE verdict IS NULL').get();
        if (!flying) this.#database.exec('COMMIT');`,
      },
    },
    caughtBy: ['killed', 'faults'],
  },
  {
    name: 'policy-before-transaction',
    what: 'the policy is asked before the commit that claims, and not in it',
    edits: {
      'src/once/engine/claim.ts': {
        'return engine.commit((tx) => actOnPlan(identity, candidate, tx, engine, agreed, waitedFor), {': `const asked = await engine.mayClaim(candidate, undefined, engine.journal.reads, engine);
      const unheld = { ...engine, mayClaim: async () => (asked.is === 'refused' ? asked : { is: 'allowed' }) };
      return engine.commit((tx) => actOnPlan(identity, candidate, tx, unheld, agreed, waitedFor), {`,
      },
    },
    caughtBy: ['concurrent'],
  },
  {
    name: 'whatever-was-shown',
    what: 'a decision is committed whatever others have done since the entry was shown',
    edits: {
      'src/once/engine/shown.ts': {
        'if (factsOf(shown) !== factsOf(await shownNow(id, tx)))':
          "if (factsOf(shown) === '' && (await shownNow(id, tx)))",
      },
    },
    caughtBy: ['concurrent'],
  },
  {
    name: 'new-key-on-retry',
    what: 'every further attempt gets a key of its own',
    edits: {
      'src/once/engine/execute.ts': {
        '{ url, token: bot.token, body: entry.body },': `{ url, token: bot.token, body: number === 1 ? entry.body : Buffer.from(
            Buffer.from(entry.body).toString().replace(entry.key, engine.chance.uuid())) },`,
      },
    },
    caughtBy: ['faults', 'killed'],
  },
  {
    name: '5xx-is-rejected',
    what: 'a 5xx is taken as a rejection',
    edits: {
      'src/once/engine/verdict.ts': {
        'isStatus(408, 425)(evidence) || (statusOf(evidence) >= 500 && statusOf(evidence) <= 599),\n    ...same(unknownTryAgain),':
          'isStatus(408, 425)(evidence) || statusOf(evidence) >= 500,\n    ...same(rejected),',
      },
    },
    caughtBy: ['faults', 'killed'],
  },
  {
    name: 'inDoubt-402-is-rejected',
    what: 'a 4xx after doubt is taken as a rejection',
    edits: {
      'src/once/engine/verdict.ts': {
        "inDoubt: held('refused-in-doubt'),": 'inDoubt: rejected,',
      },
    },
    caughtBy: ['faults'],
  },
  {
    name: 'dead-is-unsent',
    what: 'what a dead process was sending is taken as unsent',
    edits: {
      'src/once/journal/verbs.ts': {
        [`SET state = 'unknown', owner = NULL, was_in_doubt = 1, updated_at = :at,
        in_doubt_since = coalesce(in_doubt_since, updated_at)`]:
          "SET state = 'open', owner = NULL, updated_at = :at",
        "SET verdict = 'unknown', phase = 'process-died'": "SET verdict = 'unsent', phase = 'process-died'",
      },
    },
    caughtBy: ['killed'],
  },
  {
    name: 'not-durable',
    what: 'commits are not synced to the disk (NORMAL instead of FULL)',
    edits: {
      'src/once/journal/file/opening.ts': {
        "'PRAGMA synchronous = FULL; PRAGMA foreign_keys":
          "'PRAGMA synchronous = NORMAL; PRAGMA foreign_keys",
        "pragma(database, 'synchronous')) !== 2": "pragma(database, 'synchronous')) !== 1",
      },
    },
    caughtBy: ['killed'],
  },
  {
    name: 'nobody-waits',
    what: 'a second process does not wait for the first',
    edits: {
      'src/once/engine/planKinds.ts': {
        "[({ state, ownerAlive }) => state === 'sending' && ownerAlive, 'wait'],": "[() => false, 'wait'],",
      },
    },
    caughtBy: ['faults'],
  },
  {
    name: 'equal-not-asked',
    what: 'a payment is not compared with equal ones under other entries',
    edits: {
      'src/once/engine/claim.ts': {
        "if (repeats === 'pay' || agreed?.pays === 'any') return undefined;":
          'if (bot !== undefined) return undefined;',
      },
    },
    caughtBy: ['concurrent', 'faults'],
  },
  {
    name: 'equal-outside-commit',
    what: 'equal payments are asked about before the commit that claims, and not in it',
    edits: {
      'src/once/engine/claim.ts': {
        'const equal = await equalPayment(payment, bot, tx, clock.now(), repeats?.besides);':
          'const equal = await equalPayment(payment, bot, journal.reads, clock.now(), repeats?.besides);',
        '{ bot, clock, repeats }: EngineContext,': '{ bot, clock, repeats, journal }: EngineContext,',
      },
    },
    caughtBy: ['concurrent'],
  },
  {
    name: 'approval-of-another-body',
    what: 'an approval is taken for whatever body the entry has',
    edits: {
      'src/once/engine/planKinds.ts': {
        '!(startsAgain(found) && !found.inDoubt && !found.proposed),':
          '!(startsAgain(found) && !found.inDoubt),',
      },
      'src/once/journal/schema.ts': {
        "AND NOT EXISTS (SELECT 1 FROM decisions WHERE entry = OLD.seq AND kind = 'proposed'))`,": ')`,',
      },
    },
    caughtBy: ['concurrent'],
  },
  {
    name: 'no-note',
    what: 'nothing that a journal acknowledged is noted on this machine',
    edits: {
      'src/once/journal/store.ts': {
        'this.#note.note(latest);': 'void this.#note;',
      },
    },
    caughtBy: ['hurt'],
  },
  {
    name: 'note-before-the-commit',
    what: 'what a commit would record is noted before it is made',
    edits: {
      'src/once/journal/store.ts': {
        '        latest = known;\n': '        this.#noteDown(known);\n',
      },
    },
    caughtBy: ['killed'],
  },
  {
    name: 'lease-not-asked',
    what: 'a sender does not ask its lease before the headers leave',
    edits: {
      'src/postgres/openSharedJournal.ts': {
        "return lease.isStale() ? { is: 'stale-claim' } : undefined;": 'return undefined;',
      },
    },
    caughtBy: ['machines'],
  },
  {
    name: 'no-fence',
    what: 'an owner that others have ended goes on claiming in a shared journal',
    edits: {
      'src/postgres/lease.ts': {
        'if (rows.length > 0) return;': 'if (rows.length >= 0) return;',
        "fences ? 'WHERE o.ended_at IS NULL' : ''": "''",
        'renewed_at = CASE WHEN o.ended_at IS NULL THEN': 'renewed_at = CASE WHEN false THEN',
      },
      'src/postgres/sharedSchema.ts': {
        'AND ended_at IS NULL)`;': ')`;',
        'NEW.entry AND owners.ended_at IS NULL)': 'NEW.entry)',
      },
    },
    caughtBy: ['machines'],
  },
  {
    name: 'no-identity-lock',
    what: 'two machines look for the same in a shared journal at the same time, and both begin it',
    edits: {
      'src/postgres/base.ts': {
        '      lockOfWriters(this.#inputs.schema),\n': '',
      },
    },
    caughtBy: ['machines'],
  },
  {
    name: 'rule-left-out',
    what: 'no rule of the schema keeps what may have happened from being called unsent',
    edits: {
      'src/once/journal/schema.ts': {
        "`NEW.verdict IN ('unknown', 'held')`,": "'false',",
      },
    },
    caughtBy: ['faults'],
  },
  {
    name: 'commit-not-awaited',
    what: 'a page counts as committed to a shared journal before the server has said so',
    edits: {
      'src/postgres/base.ts': {
        "const { command } = await connection.query('COMMIT').catch((error: unknown) => {": `void connection.query('COMMIT').catch(() => {});
    const { command } = await Promise.resolve({ command: 'COMMIT' }).catch((error: unknown) => {`,
      },
    },
    caughtBy: ['machines'],
  },
  {
    name: 'any-amount-proves',
    what: 'a payment of whatever amount to the recipient proves a transfer',
    edits: {
      'src/chain/payment.ts': {
        'if (gained === units) return lost === undefined || lost >= units ? match : doubt;':
          'if (gained > 0n) return match;',
      },
    },
    caughtBy: ['chain'],
  },
  {
    name: 'proof-without-claim',
    what: 'a transaction that proves a transfer is not made its own',
    edits: {
      'src/chain/search.ts': {
        'return (await reads.otherHolder(id, receiptsFor(baseUrl, signature, cluster))) !== undefined;':
          'return (await reads.otherHolder(id, receiptsFor(baseUrl, signature, cluster))) === null;',
      },
    },
    caughtBy: ['chain'],
  },
  {
    name: 'time-not-judged',
    what: 'a payment of another time proves a transfer',
    edits: {
      'src/chain/verdict.ts': {
        'return !isNamed && (blockTimeS === undefined || 1000 * blockTimeS < atMs - graceMs);':
          'return !isNamed && (blockTimeS === undefined || 1000 * blockTimeS < atMs - 1e9 * graceMs);',
      },
    },
    caughtBy: ['chain'],
  },
  {
    name: 'paid-again-not-looked-for',
    what: 'nobody looks for more than one payment',
    edits: {
      'src/chain/verify.ts': {
        'if (!wasRepeated(entry) || isPaidAgain(view)': 'if (wasRepeated(entry) || isPaidAgain(view)',
      },
    },
    caughtBy: ['chain'],
  },
  {
    name: 'paid-again-not-told',
    what: 'nothing says of a service that was asked twice that it may have paid twice',
    edits: {
      'src/chain/verdict.ts': {
        "return kind === 'transfer' && state === 'accepted' && inDoubt && attempts > 1;":
          "return kind === 'transfer' && state === 'accepted' && inDoubt && attempts < 1;",
      },
    },
    caughtBy: ['faults'],
  },
];
