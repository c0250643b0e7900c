import { Failure } from '../../errors.ts';
import type { CopiedIntent, Standing } from '../copy/copied.ts';
import { mergeStanding, withoutToken } from '../copy/mergeStanding.ts';
import type { Attempt } from '../journal.ts';
import { receiptValue } from '../receipts.ts';
import { troubleText } from '../rows.ts';
import { copySql } from './copySql.ts';
import { ServerTroubleError, sharedFailure } from './facts.ts';
import { codeOf, isPassing } from './faults.ts';
import type { Lease } from './lease.ts';
import type { Line } from './line.ts';
import { inSchema } from './migrations.ts';
import type { Row } from './rows.ts';

/** An intent that is known here, too. */
type Known = {
  readonly id: string;
  readonly fingerprint: string;
  readonly standing: Standing;
  readonly leftBehind: boolean;
  readonly isTakenIn: boolean;
};

/** Of those of a page: put in, there before, taken into one that was there, and held for want of their tokens. */
export type Added = Readonly<Record<'added' | 'known' | 'merged' | 'held', number>>;

export type Conflict = {
  readonly here: string;
  readonly there: CopiedIntent['intent'];
  readonly isSending: boolean;
};

type Inputs = { readonly line: Line; readonly schema: string; readonly place: string; readonly lease: Lease };

const mostTries = 5;

/** A shared journal that takes in what another one knows. */
export class CopyTarget {
  readonly #inputs: Inputs;

  constructor(inputs: Inputs) {
    this.#inputs = inputs;
  }

  /** Refuses a role that may not do it, while nothing is done yet. */
  async refuseRole(): Promise<{ readonly isUsed: boolean; readonly mayAdopt: boolean }> {
    const [row] = await this.#query('place', []);
    if (row?.may_add !== true) throw sharedFailure('may-only-look', { place: this.#inputs.place });
    return { isUsed: row.used === true, mayAdopt: row.may_adopt === true };
  }

  /** Takes the other journal's salt for its own: possible only while there are no intents. */
  async adoptSalt(salt: Uint8Array): Promise<void> {
    await this.#query('adoptSalt', [Buffer.from(salt)]);
  }

  /** Those that cannot be one intent with what is here under the same key. */
  async conflictsOf(page: readonly CopiedIntent[]): Promise<Conflict[]> {
    const known = await this.#known(page);
    return page.flatMap(({ intent }, n) => {
      const here = known.get(n);
      if (here === undefined || here.id === intent.id) return [];
      const isSending = here.standing.state === 'sending';
      if (here.fingerprint === intent.fingerprint && !isSending) return [];
      return [{ here: here.id, there: intent, isSending }];
    });
  }

  /** All of a page, or nothing of it. */
  async add(page: readonly CopiedIntent[], keepsTokens: boolean): Promise<Added> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#transact(() => this.#addAll(page, keepsTokens));
      } catch (error) {
        if (error instanceof Failure || tries === mostTries || !isPassing(error)) throw error;
      }
    }
  }

  async #transact<Result>(work: () => Promise<Result>): Promise<Result> {
    const { line, lease } = this.#inputs;
    const answers = await line.all(['BEGIN', 'SET LOCAL synchronous_commit = on', lease.renewalOn(line)]);
    try {
      lease.fence(answers.at(-1)?.rows ?? []);
      const result = await work();
      const { command } = await line.query('COMMIT');
      if (command !== 'COMMIT') throw new ServerTroubleError({ is: 'commit-undone' });
      return result;
    } catch (error) {
      if (!line.isBroken) await line.query('ROLLBACK');
      throw error;
    }
  }

  async #addAll(page: readonly CopiedIntent[], keepsTokens: boolean): Promise<Added> {
    const known = await this.#known(page);
    const fresh = page.filter((_one, n) => !known.has(n));
    await this.#addFresh(fresh, keepsTokens);
    let merged = 0;
    for (const [n, here] of known) {
      const there = page[n];
      if (there !== undefined && (await this.#merge(here, there))) merged += 1;
    }
    const held = keepsTokens ? 0 : fresh.filter(isInDoubt).length;
    return { added: fresh.length, known: known.size - merged, merged, held };
  }

  async #addFresh(fresh: readonly CopiedIntent[], keepsTokens: boolean): Promise<void> {
    if (fresh.length === 0) return;
    await this.#query('begin', [JSON.stringify(fresh.map(intentItem)), this.#inputs.lease.id]);
    await this.#addAttempts(
      fresh.flatMap(({ intent: { id }, attempts }) => attempts.map((one) => ({ id, ...one }))),
    );
    const standings = fresh.map(({ intent, leftBehind }) =>
      standingItem(intent.id, keepsTokens ? intent : withoutToken(intent, intent.kind), leftBehind),
    );
    await this.#stand(standings);
    await this.#addRest(fresh, (one) => one.intent.id);
  }

  /** What is known of it there is added to it here; false where there is nothing to add. */
  async #merge(here: Known, there: CopiedIntent): Promise<boolean> {
    const { id, kind, fingerprint } = there.intent;
    if (here.id === id || here.isTakenIn) return false;
    if (here.fingerprint !== fingerprint || here.standing.state === 'sending')
      throw sharedFailure('sent-there-now', { place: this.#inputs.place });
    const standing = mergeStanding(here.standing, there.intent, kind);
    if (standing === undefined) return false;
    await this.#query('claim', [
      ...[here.id, here.standing.state, this.#inputs.lease.id],
      claimedAtMs(there),
    ]);
    await this.#addAttempts(
      there.attempts.map((one) => ({ ...one, id: here.id, number: here.standing.attempts + one.number })),
    );
    await this.#stand([standingItem(here.id, standing, here.leftBehind)]);
    await this.#addRest([there], () => here.id);
    return true;
  }

  async #addAttempts(attempts: readonly (Attempt & { readonly id: string })[]): Promise<void> {
    if (attempts.length === 0) return;
    const items = JSON.stringify(attempts.map(attemptItem));
    await this.#query('beginAttempts', [items]);
    await this.#query('endAttempts', [items]);
  }

  async #stand(items: readonly Item[]): Promise<void> {
    const given = JSON.stringify(items);
    await this.#query('stand', [given]);
    if (items.some(({ state }) => state === 'resolved')) await this.#query('resolve', [given]);
  }

  async #addRest(copied: readonly CopiedIntent[], idOf: (one: CopiedIntent) => string): Promise<void> {
    const decisions = copied.flatMap((one) =>
      one.decisions.map((decision) => ({ id: idOf(one), ...decision })),
    );
    if (decisions.length > 0) {
      const items = decisions.map(({ id, kind, who, atMs, reason, signature, fingerprint }, n) => ({
        ...{ n, id, kind, who: text(who), at: atMs, reason: text(reason) },
        signature: text(signature),
        fingerprint,
      }));
      await this.#query('decide', [JSON.stringify(items)]);
    }
    const receipts = copied.flatMap((one) =>
      one.receipts.map((receipt) => ({ id: idOf(one), ...receipt, value: receiptValue(receipt.value) })),
    );
    if (receipts.length > 0) await this.#query('keepReceipts', [JSON.stringify(receipts)]);
    const observations = copied.flatMap((one) =>
      one.observations.map(({ atMs, who, facts, ...rest }) => ({
        ...{ ...rest, id: idOf(one), at: atMs, who: text(who), facts: text(facts) },
      })),
    );
    if (observations.length > 0)
      await this.#query('observe', [JSON.stringify(observations.map((one, n) => ({ ...one, n })))]);
  }

  async #known(page: readonly CopiedIntent[]): Promise<Map<number, Known>> {
    const items = page.map(({ intent: { key, baseUrl, kind }, attempts }, n) => ({
      ...{ n, key, base_url: baseUrl, kind },
      tries: attempts.map(({ startedAtMs, endedAtMs, verdict, requestId }) => ({
        ...{ started_at: startedAtMs, ended_at: endedAtMs, verdict, request_id: text(requestId) },
      })),
    }));
    const rows = await this.#query('known', [JSON.stringify(items)]);
    return new Map(rows.map((row) => [row.n as number, knownOf(row)]));
  }

  async #query(name: keyof typeof copySql, values: unknown[]): Promise<readonly Row[]> {
    const { line, schema, place } = this.#inputs;
    try {
      return (await line.query(inSchema(schema, copySql[name]), values)).rows;
    } catch (error) {
      throw codeOf(error) === '42501' ? sharedFailure('may-only-look', { place }, error) : error;
    }
  }
}

type Item = Readonly<Record<string, unknown>>;

function isInDoubt({ intent }: CopiedIntent): boolean {
  return withoutToken(intent, intent.kind).state !== intent.state;
}

function claimedAtMs({ intent, attempts }: CopiedIntent): number {
  return attempts.at(-1)?.startedAtMs ?? intent.createdAtMs;
}

function intentItem(copied: CopiedIntent, n: number): Item {
  const { intent } = copied;
  return {
    n,
    id: intent.id,
    kind: intent.kind,
    base_url: intent.baseUrl,
    spelled_url: intent.spelledUrl,
    bot: intent.bot,
    named_by: intent.namedBy,
    name: intent.name,
    row_id: intent.rowId,
    key: intent.key,
    identity: intent.identity,
    fingerprint: intent.fingerprint,
    payment: intent.payment,
    body: base64(intent.body),
    created_at: intent.createdAtMs,
    claimed_at: claimedAtMs(copied),
    is_proposal: intent.state === 'held' && !intent.tainted,
  };
}

function standingItem(id: string, standing: Standing, leftBehind: boolean): Item {
  return {
    id,
    state: standing.state,
    tainted: standing.tainted,
    may_have_landed_at: standing.mayHaveLandedAtMs,
    token_hash: standing.tokenHash,
    why: standing.why,
    resolved_as: standing.resolvedAs,
    attempts: standing.attempts,
    updated_at: standing.updatedAtMs,
    reported_at: standing.reportedAtMs,
    left_behind: leftBehind,
  };
}

function attemptItem(attempt: Attempt & { readonly id: string }): Item {
  const { id, number, phase, verdict, status, duplicate, verified, reply } = attempt;
  return {
    ...{ id, number, phase, verdict, status, duplicate, verified },
    started_at: attempt.startedAtMs,
    ended_at: attempt.endedAtMs,
    request_id: text(attempt.requestId),
    trouble: troubleText(attempt.trouble),
    retry_after: attempt.retryAfterMs,
    reply: reply && base64(reply),
    headers: JSON.stringify(attempt.headers),
  };
}

function knownOf(row: Row): Known {
  const optional = <Value>(cell: unknown): Value | undefined => (cell === null ? undefined : (cell as Value));
  return {
    id: row.id as string,
    fingerprint: row.fingerprint as string,
    leftBehind: row.left_behind === true,
    isTakenIn: row.is_taken_in === true,
    standing: {
      state: row.state as Standing['state'],
      tainted: row.tainted === true,
      mayHaveLandedAtMs: optional(row.may_have_landed_at),
      tokenHash: optional(row.token_hash),
      why: optional(row.why),
      resolvedAs: optional(row.resolved_as),
      attempts: row.attempts as number,
      updatedAtMs: row.updated_at as number,
      reportedAtMs: optional(row.reported_at),
    },
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** PostgreSQL's text holds no NUL, and nothing that is not Unicode. */
function text(given: string | undefined): string | undefined {
  return given?.replaceAll('\0', '\ufffd').toWellFormed();
}
