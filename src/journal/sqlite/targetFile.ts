import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { diskTrouble, makeFolder, syncFolder } from '../../disk.ts';
import { Failure } from '../../errors.ts';
import { backupNotMade, backupThere } from '../../words/backup.ts';
import type { CopiedIntent } from '../copy/copied.ts';
import type { Attempt } from '../journal.ts';
import { busyTimeoutMs } from './log.ts';
import { accountedNumbers, writeMarkId } from './loss.ts';
import { Mark, markPath } from './mark.ts';
import { migrations } from './migrations.ts';
import { PreparedStatements } from './preparedStatements.ts';
import { setAndCheckPragmas, setUp } from './setUp.ts';
import { adoptMark } from './sqliteFile.ts';
import type { Bindings } from './statement.ts';
import { pragma } from './versions.ts';

/** What every botctl takes for damaged: until it is whole, nobody may send by it. */
const unfinished = -1;

/** A new journal in a file that takes in what another one knows. Until it is whole it has another name. */
export class TargetFile {
  readonly path: string;
  readonly #part: string;
  readonly #database: DatabaseSyncInstance;
  readonly #statements: PreparedStatements;

  private constructor(path: string, part: string, database: DatabaseSyncInstance) {
    this.path = path;
    this.#part = part;
    this.#database = database;
    this.#statements = new PreparedStatements(database);
  }

  /** Begun, or gone on with where an earlier run was interrupted. */
  static open(path: string, salt: Uint8Array): TargetFile {
    const part = `${path}.part`;
    const there = [path, `${path}-wal`].find((one) => existsSync(one));
    if (there !== undefined) throw backupThere(there);
    try {
      makeFolder(dirname(path));
      if (!existsSync(part)) closeSync(openSync(part, 'wx', 0o600));
      const database = new DatabaseSync(part, { timeout: busyTimeoutMs });
      if (pragma(database, 'user_version') !== unfinished) {
        setUp(database, part);
        database.exec('BEGIN');
        database.prepare(`UPDATE meta SET value = ? WHERE name IN ('salt', 'salt-again')`).run(salt);
        database.exec(`PRAGMA user_version = ${unfinished}; COMMIT`);
      }
      setAndCheckPragmas(database);
      return new TargetFile(path, part, database);
    } catch (error) {
      throw error instanceof Failure ? error : backupNotMade(path, diskTrouble(error), error);
    }
  }

  /** All of a page, or nothing of it. How many were not there yet. */
  add(page: readonly CopiedIntent[]): number {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const fresh = page.filter(
        ({ intent: { id } }) => this.#statements.of(findById).get({ id }) === undefined,
      );
      for (const one of fresh) this.#addOne(one);
      this.#database.exec('COMMIT');
      return fresh.length;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error instanceof Failure ? error : backupNotMade(this.path, diskTrouble(error), error);
    }
  }

  #addOne({ intent, leftBehind, attempts, decisions, receipts, observations }: CopiedIntent): void {
    const isProposal = intent.state === 'held' && !intent.tainted;
    const { id, kind, bot, key, identity, fingerprint, body } = intent;
    const { lastInsertRowid: seq } = this.#statements.of(begin).run({
      ...{ id, kind, bot, key, identity, fingerprint, body },
      baseUrl: intent.baseUrl,
      spelledUrl: intent.spelledUrl,
      namedBy: intent.namedBy ?? null,
      name: intent.name ?? null,
      rowId: intent.rowId ?? null,
      payment: intent.payment ?? null,
      state: isProposal ? 'held' : 'sending',
      owner: isProposal ? null : 'copied',
      why: isProposal ? 'approval' : null,
      createdAt: intent.createdAtMs,
    });
    for (const attempt of attempts) this.#addAttempt(seq, attempt);
    const standing: Bindings = {
      seq,
      state: intent.state,
      tainted: intent.tainted ? 1 : 0,
      landedAt: intent.mayHaveLandedAtMs ?? null,
      tokenHash: intent.tokenHash ?? null,
      why: intent.why ?? null,
      resolvedAs: intent.resolvedAs ?? null,
      attempts: intent.attempts,
      updatedAt: intent.updatedAtMs,
      reportedAt: intent.reportedAtMs ?? null,
      leftBehind: leftBehind ? 1 : 0,
    };
    this.#statements.of(stand).run(standing);
    if (intent.state === 'resolved') this.#statements.of(resolve).run(standing);
    for (const { kind: decided, who, atMs, reason, signature = null, fingerprint = null } of decisions)
      this.#statements.of(decide).run({ seq, kind: decided, who, at: atMs, reason, signature, fingerprint });
    for (const { origin, what, value } of receipts)
      this.#statements.of(keep).run({ seq, origin, what, value });
    for (const { atMs, signature = null, genesis = null, instruction = null, ...rest } of observations)
      this.#statements.of(observe).run({ ...rest, seq, at: atMs, signature, genesis, instruction });
  }

  #addAttempt(seq: number, attempt: Attempt): void {
    const { number } = attempt;
    this.#statements.of(beginAttempt).run({ seq, number, startedAt: attempt.startedAtMs });
    if (attempt.verdict === undefined) return;
    this.#statements.of(endAttempt).run({
      ...{ seq, number, verdict: attempt.verdict },
      endedAt: attempt.endedAtMs ?? null,
      phase: attempt.phase ?? null,
      status: attempt.status ?? null,
      requestId: attempt.requestId ?? null,
      trouble: attempt.trouble ?? null,
      retryAfter: attempt.retryAfterMs ?? null,
      duplicate: attempt.duplicate ? 1 : 0,
      verified: attempt.verified ? 1 : 0,
      reply: attempt.reply ?? null,
      headers: JSON.stringify(attempt.headers),
    });
  }

  /** From now on it is a journal as any other, with its mark, under its own name. */
  finish(): void {
    const database = this.#database;
    const id = Mark.draft(this.#part, accountedNumbers(database));
    database.exec('BEGIN IMMEDIATE');
    writeMarkId(database, id);
    database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
    adoptMark(database, this.#part, id).close();
    database.close();
    renameSync(markPath(this.#part), markPath(this.path));
    renameSync(this.#part, this.path);
    syncFolder(dirname(this.path));
    // Whoever looked at it meanwhile keeps them there; they hold nothing.
    for (const suffix of ['-wal', '-shm']) rmSync(`${this.#part}${suffix}`, { force: true });
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

const findById = `SELECT seq FROM intents WHERE id = :id`;
const begin = `INSERT INTO intents (id, kind, base_url, spelled_url, bot, named_by, name, row_id, key, identity,
    fingerprint, payment, body, state, owner, why, attempts, created_at, updated_at)
  VALUES (:id, :kind, :baseUrl, nullif(:spelledUrl, :baseUrl), :bot, :namedBy, :name, :rowId, :key, :identity,
    :fingerprint, :payment, :body, :state, :owner, :why, 0, :createdAt, :createdAt)`;
const beginAttempt = `INSERT INTO attempts (intent, number, started_at) VALUES (:seq, :number, :startedAt)`;
const endAttempt = `UPDATE attempts SET ended_at = :endedAt, phase = :phase, verdict = :verdict, status = :status,
    request_id = :requestId, trouble = :trouble, retry_after = :retryAfter, duplicate = :duplicate,
    verified = :verified, reply = :reply, headers = :headers WHERE intent = :seq AND number = :number`;
/** What was resolved goes there by the way that all intents go. */
const stand = `UPDATE intents SET owner = NULL, tainted = :tainted, may_have_landed_at = :landedAt,
    token_hash = :tokenHash, why = :why, attempts = :attempts, updated_at = :updatedAt, reported_at = :reportedAt,
    left_behind = :leftBehind,
    state = CASE WHEN :state <> 'resolved' THEN :state WHEN :tainted = 1 THEN 'unknown' ELSE 'open' END
  WHERE seq = :seq`;
const resolve = `UPDATE intents SET state = 'resolved', resolved_as = :resolvedAs WHERE seq = :seq`;
const decide = `INSERT INTO decisions (intent, kind, who, at, reason, signature, fingerprint)
  VALUES (:seq, :kind, :who, :at, :reason, :signature, :fingerprint)`;
const keep = `INSERT INTO receipts (origin, what, value, intent) VALUES (:origin, :what, :value, :seq)`;
const observe = `INSERT INTO observations (intent, verdict, who, at, signature, genesis, instruction, facts)
  VALUES (:seq, :verdict, :who, :at, :signature, :genesis, :instruction, :facts)`;
