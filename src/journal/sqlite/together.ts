import type { RowNumbers } from './mark.ts';
import { atOrigin } from './statements.ts';

/**
 * Statements that do for many intents what was asked of them in one breath: `@given` are those, by their names `:…`.
 * Every row of an answer says whose it is: by `n`, the place among the given.
 *
 * A call into SQLite costs more than most of what it does there, and each value that is bound costs again: one call
 * for all, with one value, is half of what a row of a batch took.
 */
export const together = {
  findByKey: `SELECT given.key AS n, intents.* FROM @given CROSS JOIN intents
              WHERE intents.key = :key AND base_url = :baseUrl AND kind = :kind`,
  unfinishedTwins: `SELECT given.key AS n, intents.* FROM @given CROSS JOIN intents
                    WHERE payment = :payment AND ${atOrigin} AND identity <> :identity
                    AND payment IS NOT NULL AND state IN ('sending', 'unknown', 'held') ORDER BY seq`,
  otherHolder: `SELECT given.key AS n, intents.id FROM @given CROSS JOIN receipts CROSS JOIN intents
                WHERE receipts.value = :value AND what = :what AND origin = :origin
                AND intents.seq = receipts.intent AND intents.id <> :id`,
  // Who claimed it knows what it is: only what may have changed since.
  claimed: `SELECT given.key AS n, tainted, may_have_landed_at, reported_at, created_at FROM @given CROSS JOIN intents
            WHERE intents.id = :id AND state = 'sending' AND owner = :owner`,

  // SQLite numbers them itself where no first number is given.
  begin: `INSERT INTO intents (seq, id, kind, base_url, spelled_url, bot, named_by, name, row_id, key, identity,
            fingerprint, payment, body, state, owner, token_hash, attempts, created_at, updated_at)
          SELECT @first + given.key, :id, :kind, :baseUrl, nullif(:spelledUrl, :baseUrl), :bot, :namedBy, :name, :rowId,
            :key, :identity, :fingerprint, :payment, unhex(:body), 'sending', :owner, :tokenHash, 1, :at, :at
          FROM @given`,
  firstAttempts: `INSERT INTO attempts (seq, intent, number, started_at)
                  SELECT @first + given.key, intents.seq, 1, :at FROM @given CROSS JOIN intents WHERE intents.id = :id`,
  // By its number and no other way: SQLite would rather look at all attempts and ask of each whether it was given.
  endAttempt: `UPDATE attempts SET ended_at = :at, phase = :phase, verdict = :verdict, status = :status,
                 request_id = :requestId, trouble = :trouble, retry_after = :retryAfter, duplicate = :duplicate,
                 verified = :verified, reply = unhex(:reply), headers = :headers
               FROM (SELECT given.value, begun.seq FROM @given CROSS JOIN intents CROSS JOIN attempts AS begun
                 WHERE intents.id = :id AND begun.intent = intents.seq AND begun.number = :number
                 LIMIT -1 OFFSET 0) AS given
               WHERE attempts.seq = given.seq`,
  conclude: `UPDATE intents SET state = :state, owner = NULL, why = :why, updated_at = :at FROM @given
             WHERE intents.id = :id AND state = 'sending' AND owner = :owner`,
  keepReceipt: `INSERT INTO receipts (origin, what, value, intent)
                SELECT :origin, :what, :value, intents.seq FROM @given CROSS JOIN intents
                WHERE intents.id = :id AND NOT EXISTS (SELECT 1 FROM receipts AS kept
                  WHERE kept.value = :value AND kept.what = :what AND kept.origin = :origin)`,
} as const;

export type TogetherName = keyof typeof together;

/** What they add is numbered, and the mark says how far. */
export const numberedTogether: Partial<Record<TogetherName, keyof RowNumbers>> = {
  begin: 'intents',
  firstAttempts: 'attempts',
};

/** As SQLite reads it: ?1 are the given, ?2 the first number. */
export function togetherSql(name: TogetherName): string {
  return together[name]
    .replace(/:([a-z]\w*)/giu, "(given.value->>'$1')")
    .replace('@given', 'jsonb_each(?1) AS given')
    .replace('@first', '?2');
}
