import { Failure } from '../once/failures.ts';
import { journalFailure } from '../once/journal/facts.ts';
import type { CopiedIntent } from '../once/journal/file/sourceFile.ts';
import type { BatchInput, Intent, Resolution, State } from '../once/journal/journal.ts';
import { type Ask, intentOf, receiptValue, troubleText } from '../once/journal/rows.ts';
import { Spent } from '../once/journal/spent.ts';
import { changes, questions } from '../once/journal/verbs.ts';
import { lockOfWriters } from './base.ts';
import {
  type BegunCopy,
  begunCopy,
  type CopiedFile,
  digestOf,
  note,
  noted,
  unfinishedOfOthers,
  unfinishedOfSame,
  wholeCopies,
} from './begunCopies.ts';
import type { PgConnection } from './connection.ts';
import { type Note, ServerTroubleError, sharedFailure } from './facts.ts';
import { codeOf, isPassing, isUnawaited } from './faults.ts';
import { askOn, Gathered } from './gathered.ts';
import { takingItsTime } from './handshake.ts';
import type { Lease } from './lease.ts';
import { inSchema, nowMs, type Row } from './sql.ts';

/** How many intents were added, and how many were there already. */
export type Added = Readonly<Record<'added' | 'known', number>>;

/** Two intents with one key, in the file and on the server, that are not the same. */
export type Conflict = { readonly here: Intent; readonly there: Intent };

type Inputs = {
  readonly connection: PgConnection;
  readonly schema: string;
  readonly place: string;
  readonly lease: Lease;
  /** How long a process of it lives that is not heard of. */
  readonly leaseMs: number;
  /** Called with the last note of a page that is on the server's disk. */
  readonly onAcknowledged: (note: Note) => void;
};

const mostTries = 5;

/** A shared journal that receives the settled intents of a file. */
export class CopyTarget {
  readonly #inputs: Inputs;

  constructor(inputs: Inputs) {
    this.#inputs = inputs;
  }

  /** Refuses a role without the rights to copy, before anything is changed. */
  async refuseRole(): Promise<{ readonly isUsed: boolean; readonly mayAdopt: boolean }> {
    const [row] = await this.#query(aboutRole);
    if (row?.may_add !== true) throw sharedFailure('may-only-look', { place: this.#inputs.place });
    return { isUsed: row.used === true, mayAdopt: row.may_adopt === true };
  }

  /** Whether this file, or a newer one of the same journal, is here whole. */
  async hasWhole(file: CopiedFile): Promise<boolean> {
    return (await this.#query(wholeCopies, [digestOf(file), file.rows])).length > 0;
  }

  /**
   * Refuses an older backup of a file of which more was to be copied, and while somebody sends through this journal. A
   * copy of this file that was begun keeps all from sending already.
   */
  async refuseOthers(file: CopiedFile): Promise<void> {
    const { place, lease, leaseMs } = this.#inputs;
    const begun = await this.#begun(file);
    const newer = begun.find(({ rows }) => rows > file.rows);
    if (newer !== undefined) throw sharedFailure('copy-not-whole', { place, path: newer.path });
    if (begun.length > 0) return;
    const [row] = await this.#query(countRunners, [leaseMs, lease.id]);
    const count = Number(row?.count);
    if (count > 0) throw journalFailure('owners-alive', { path: place, count });
  }

  async #begun(file: CopiedFile): Promise<BegunCopy[]> {
    const rows = await this.#query(unfinishedOfSame, [digestOf(file)]);
    return rows.flatMap(({ detail }) => begunCopy(detail) ?? []);
  }

  /**
   * From now on nothing is sent through it, until the file is here whole: what is not here yet would be sent again. What
   * speaks against it is found by a last `look`, while nobody else writes; then nothing is changed. The salt of the file
   * may be taken over if this journal has no intents, and no other file brought its own. Returns whether it was.
   */
  async begin(file: CopiedFile, maySalt: boolean, look: () => Promise<void>): Promise<boolean> {
    return this.#transact(async () => {
      await look();
      const isBegun = (await this.#begun(file)).some(({ rows }) => rows === file.rows);
      if (!isBegun) await this.#query(note('copying'), noted(file));
      return maySalt && (await this.#query(adoptSalt, [digestOf(file), Buffer.from(file.salt)])).length > 0;
    }, takingItsTime);
  }

  /** Adds what the files of batches asked for, where nobody has run them here. Then the file is here whole. */
  async finish(file: CopiedFile, batches: readonly BatchInput[]): Promise<void> {
    await this.#transact(async (ask) => {
      await this.#refuseGivenUp(file);
      const texts = batches.map(({ totals, beyond, ...input }) => ({
        ...{ ...input, totals: JSON.stringify(totals), beyond: JSON.stringify(beyond) },
      }));
      await Promise.all(texts.map((input) => ask(addBatch, input)));
      await this.#query(note('copied'), noted(file));
    });
  }

  /** Others may have accepted that it is lost, and send. */
  async #refuseGivenUp(file: CopiedFile): Promise<void> {
    const { place } = this.#inputs;
    if ((await this.#begun(file)).length === 0)
      throw sharedFailure('copy-not-whole', { place, path: file.path });
  }

  /** Intents with the key of one here that has another body, or stands otherwise. */
  async conflictsOf(page: readonly CopiedIntent[]): Promise<Conflict[]> {
    const known = await this.#known(page, this.#gathered());
    return page.flatMap(({ intent: there }, n) => {
      const here = known[n];
      return here === undefined || isSame(here, there) ? [] : [{ here, there }];
    });
  }

  /** Adds all of a page, or nothing of it. */
  async add(file: CopiedFile, page: readonly CopiedIntent[], keepsTokens: boolean): Promise<Added> {
    const { place, lease, onAcknowledged } = this.#inputs;
    const fresh = await this.#transact(async (ask) => {
      await this.#refuseGivenUp(file);
      const known = await this.#known(page, ask);
      const isAnother = page.some(({ intent }, n) => known[n] && !isSame(known[n], intent));
      if (isAnother) throw sharedFailure('sent-there-now', { place });
      const unknown = page.filter((_one, n) => known[n] === undefined);
      await addFresh(unknown, keepsTokens, lease.id, ask);
      return unknown;
    });
    const last = fresh.findLast(({ attempts }) => attempts.length > 0);
    const attempt = last?.attempts.at(-1);
    if (last && attempt) {
      const { number, startedAtMs: at } = attempt;
      onAcknowledged({ what: 'attempt', id: last.intent.id, number, at });
    }
    return { added: fresh.length, known: page.length - fresh.length };
  }

  #gathered(): Ask {
    const { schema, connection } = this.#inputs;
    return new Gathered(schema, (questions) => askOn(connection, questions)).ask;
  }

  /** Makes one commit, again where others caused a rollback. */
  async #transact<Result>(
    work: (ask: Ask) => Promise<Result>,
    settings: readonly string[] = [],
  ): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#commit(work, settings);
      } catch (error) {
        if (error instanceof Failure || tries === mostTries || !isPassing(error)) throw error;
      }
    }
  }

  async #commit<Result>(work: (ask: Ask) => Promise<Result>, settings: readonly string[]): Promise<Result> {
    const { connection, lease, schema, place } = this.#inputs;
    let result: Result;
    try {
      const answers = await connection.all([
        /* sql */ 'BEGIN ISOLATION LEVEL read committed',
        ...settings,
        lockOfWriters(schema),
        lease.renewalOn(connection),
      ]);
      lease.fence(answers.at(-1)?.rows ?? []);
      result = await work(this.#gathered());
      const { command } = await connection.query('COMMIT');
      if (command !== 'COMMIT') throw new ServerTroubleError({ is: 'commit-undone' });
    } catch (error) {
      if (!connection.isBroken) await connection.query('ROLLBACK');
      throw error;
    }
    if (isUnawaited(connection)) throw sharedFailure('not-on-standby', { place });
    return result;
  }

  #known(page: readonly CopiedIntent[], ask: Ask): Promise<(Intent | undefined)[]> {
    const looks = page.map(async ({ intent: { baseUrl, kind, key } }) => {
      const [row] = await ask(questions.findByKey, { baseUrl, kind, key });
      return row && intentOf(row, false);
    });
    return Promise.all(looks);
  }

  async #query(sql: string, values: unknown[] = []): Promise<readonly Row[]> {
    const { connection, schema, place } = this.#inputs;
    try {
      return (await connection.query(inSchema(schema, sql), values)).rows;
    } catch (error) {
      throw codeOf(error) === '42501' ? sharedFailure('may-only-look', { place }, error) : error;
    }
  }
}

/** What an earlier run copied, and what stands here in the same words. */
function isSame(here: Intent, there: Intent): boolean {
  if (here.id === there.id && here.attempts >= there.attempts && here.updatedAtMs >= there.updatedAtMs)
    return true;
  return (
    here.fingerprint === there.fingerprint &&
    here.state === there.state &&
    here.resolvedAs === there.resolvedAs
  );
}

/**
 * In steps that the rules allow: the copying process claims each intent, ends its attempts, and leaves it as it stands in
 * the file. Others see it only then.
 */
async function addFresh(
  fresh: readonly CopiedIntent[],
  keepsTokens: boolean,
  owner: string,
  ask: Ask,
): Promise<void> {
  const spent = new Spent({ ...questions, ...changes }, true);
  const each = (step: (one: CopiedIntent) => readonly Promise<unknown>[]): Promise<unknown> =>
    Promise.all(fresh.flatMap(step));
  await each(({ intent }) => [ask(changes.begin, beginning(intent, owner))]);
  await each(({ intent: { id }, attempts }) =>
    attempts.map(({ number, startedAtMs: at }) => ask(changes.addAttempt, { id, number, at })),
  );
  await each(({ intent: { id }, attempts }) =>
    attempts
      .filter(({ verdict }) => verdict !== undefined)
      .map(({ endedAtMs: at, duplicate, verified, trouble, retryAfterMs, requestId, headers, ...end }) =>
        ask(changes.endAttempt, {
          ...{ ...end, id, at, retryAfter: retryAfterMs, requestId: text(requestId) },
          ...{ duplicate: Number(duplicate), verified: Number(verified) },
          ...{ trouble: troubleText(trouble), headers: JSON.stringify(headers) },
        }),
      ),
  );
  const stood = (one: CopiedIntent, state: State, as?: Resolution): Promise<unknown> =>
    ask(stand, standing(one, state, as, keepsTokens));
  // What is resolved was in doubt before, or never sent.
  await each((one) => {
    const { state, tainted } = one.intent;
    return [stood(one, state !== 'resolved' ? state : tainted ? 'unknown' : 'open')];
  });
  await each((one) => {
    const { state, resolvedAs } = one.intent;
    return state === 'resolved' ? [stood(one, state, resolvedAs)] : [];
  });
  await each(({ intent: { id }, receipts, decisions }) => [
    ...receipts.map(({ value, ...rest }) =>
      ask(changes.keepReceipt, { id, ...rest, value: receiptValue(value) }),
    ),
    ...decisions.map(({ atMs: at, who, reason, ...rest }) =>
      ask(addDecision, { ...rest, id, at, who: text(who), reason: text(reason), role: undefined }),
    ),
  ]);
  const seen = await Promise.all(
    fresh.flatMap(({ intent: { id }, observations }) => observations.map((one) => asSeenHere(id, one, ask))),
  );
  // In their order.
  await Promise.all(seen.map((one) => ask(changes.observe, one)));
  for (const { intent, countsAtMs } of fresh) {
    const { payment, state, resolvedAs, updatedAtMs } = intent;
    spent.move(payment, undefined, countsAtMs);
    if (state === 'accepted' || resolvedAs === 'happened') spent.happened(payment, updatedAtMs);
  }
  await spent.write(ask);
}

function beginning(intent: Intent, owner: string) {
  const { createdAtMs: at, payment, attempts } = intent;
  const { id, kind, baseUrl, spelledUrl, bot, namedBy, name, rowId, columns, key, identity } = intent;
  return {
    ...{ id, kind, baseUrl, spelledUrl, bot, namedBy, name, rowId, columns, key, identity, payment },
    ...{ fingerprint: intent.fingerprint, body: intent.body, state: 'sending', owner, attempts, at },
    countsAt: payment === undefined ? undefined : at,
  };
}

function standing(
  { intent, leftBehind, countsAtMs }: CopiedIntent,
  state: State,
  as: Resolution | undefined,
  keepsTokens: boolean,
) {
  const { id, tainted, updatedAtMs: at, payment, tokenHash } = intent;
  const counts =
    state === 'unknown' || state === 'accepted' || (state === 'held' && tainted) || as === 'happened';
  return {
    ...{ id, state, as, at, tainted: Number(tainted), leftBehind: Number(leftBehind) },
    ...{ mayHaveLandedAt: intent.mayHaveLandedAtMs, reportedAt: intent.reportedAtMs },
    why: intent.heldReason,
    tokenHash: keepsTokens ? tokenHash : undefined,
    countsAt: counts && payment !== undefined ? (countsAtMs ?? at) : undefined,
  };
}

/**
 * If both journals took the same payment as proof of their own intent, it belongs to the one here. The copied intent
 * becomes undecided and is looked up again.
 */
async function asSeenHere(id: string, observation: CopiedIntent['observations'][number], ask: Ask) {
  const { atMs: at, who, facts, verdict, genesis, signature, instruction } = observation;
  const receipt = { origin: genesis, what: 'instruction', value: `${signature}/${instruction}` };
  const isAnothers =
    verdict === 'proven' && (await ask(questions.otherHolder, { id, ...receipt })).length > 0;
  const kept = { id, at, who: text(who), facts: text(facts), genesis, signature, instruction };
  return { ...kept, verdict: isAnothers ? 'undecided' : verdict };
}

/** PostgreSQL's text can hold neither NUL nor invalid Unicode. */
function text(given: string | undefined): string | undefined {
  return given?.replaceAll('\0', '\ufffd').toWellFormed();
}

const stand = /* sql */ `UPDATE intents SET state = :state, owner = NULL, tainted = :tainted,
    may_have_landed_at = :mayHaveLandedAt, token_hash = :tokenHash, why = :why, resolved_as = :as, updated_at = :at,
    reported_at = :reportedAt, left_behind = :leftBehind, counts_at = :countsAt
  WHERE id = :id`;

/** In no role: that of another journal would say nothing here. */
const addDecision = changes.addDecision
  .replace('fingerprint)', /* sql */ 'fingerprint, role)')
  .replace(':fingerprint)', /* sql */ ':fingerprint, :role)');

const addBatch = changes.keepBatch.replace(/DO UPDATE[\s\S]*$/u, /* sql */ 'DO NOTHING');

const aboutRole = /* sql */ `SELECT EXISTS (SELECT FROM @schema.intents) AS used,
  has_table_privilege(current_user, '@schema.salt', 'UPDATE') AS may_adopt,
  has_table_privilege(current_user, '@schema.intents', 'INSERT') AS may_add`;

const countRunners = /* sql */ `SELECT count(*) AS count FROM @schema.owners
  WHERE ended_at IS NULL AND renewed_at + $1 >= ${nowMs} AND id <> $2`;

const adoptSalt = /* sql */ `UPDATE @schema.salt SET value = $2 WHERE name = 'salt'
  AND NOT EXISTS (SELECT FROM @schema.intents) AND NOT EXISTS (${unfinishedOfOthers}) RETURNING name`;
