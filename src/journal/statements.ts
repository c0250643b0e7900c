/** Every statement the journal runs, by the verb it stands for. */

const unfinished = `state IN ('open', 'sending', 'unknown', 'held')`;

export const statements = {
  findUnnamed: `SELECT * FROM intents WHERE identity = :identity AND named_by IS NULL
         ORDER BY (${unfinished} AND left_behind = 0) DESC, seq DESC LIMIT 1`,
  findByKey: `SELECT * FROM intents WHERE key = :key AND base_url = :baseUrl AND kind = :kind`,
  get: `SELECT * FROM intents WHERE id = :id`,
  bySeq: `SELECT * FROM intents WHERE seq = :seq`,
  called: `SELECT * FROM intents WHERE id = :word OR key = :word LIMIT 2`,
  startingWith: `SELECT * FROM intents WHERE id >= :prefix AND id < :prefix || char(1114111)
                 UNION SELECT * FROM intents WHERE key >= :prefix AND key < :prefix || char(1114111) LIMIT 2`,
  unfinishedTwins: `SELECT * FROM intents WHERE payment = :payment AND base_url = :baseUrl AND identity <> :identity
                    AND payment IS NOT NULL AND state IN ('sending', 'unknown', 'held') ORDER BY seq`,
  attemptsOf: `SELECT attempts.* FROM attempts JOIN intents ON intents.seq = attempts.intent
               WHERE intents.id = :id ORDER BY number`,
  tellingAttempt: `SELECT attempts.* FROM attempts JOIN intents ON intents.seq = attempts.intent
                WHERE intents.id = :id ORDER BY (verdict IS 'accepted') DESC, number DESC LIMIT 1`,
  decisionsOf: `SELECT decisions.* FROM decisions JOIN intents ON intents.seq = decisions.intent
                WHERE intents.id = :id ORDER BY decisions.seq`,
  countsOfOthers: `SELECT state, count(*) AS count FROM intents WHERE state <> 'accepted' GROUP BY state`,
  countRows: `SELECT count(*) AS count FROM intents
              WHERE name = :name AND named_by = 'row' AND base_url = :baseUrl AND kind = :kind`,
  countAll: `SELECT count(*) AS count FROM intents`,

  begin: `INSERT INTO intents (id, kind, base_url, bot, named_by, name, key, identity, fingerprint, payment, body,
            state, owner, token_hash, attempts, created_at, updated_at)
          VALUES (:id, :kind, :baseUrl, :bot, :namedBy, :name, :key, :identity, :fingerprint, :payment, :body,
            'sending', :owner, :tokenHash, 1, :at, :at)`,
  claim: `UPDATE intents SET state = 'sending', owner = :owner, why = NULL, resolved_as = NULL, updated_at = :at
          WHERE id = :id AND state <> 'sending'`,
  rewrite: `UPDATE intents SET body = :body, fingerprint = :fingerprint, payment = :payment WHERE id = :id`,
  markDead: `UPDATE intents SET state = 'unknown', owner = NULL, tainted = 1, updated_at = :at,
               may_have_landed_at = coalesce(may_have_landed_at, updated_at)
             WHERE id = :id AND state = 'sending' AND owner = :owner`,
  endDeadAttempts: `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = :at,
                      trouble = 'its process ended before the reply was recorded'
                    WHERE verdict IS NULL AND intent = (SELECT seq FROM intents WHERE id = :id)`,
  countAttempt: `UPDATE intents SET attempts = attempts + 1, token_hash = :tokenHash, updated_at = :at
                 WHERE id = :id AND state = 'sending' AND owner = :owner RETURNING *`,
  startAttempt: `INSERT INTO attempts (intent, number, started_at) VALUES (:intent, :number, :at)`,
  endAttempt: `UPDATE attempts SET ended_at = :at, phase = :phase, verdict = :verdict, status = :status,
                 request_id = :requestId, trouble = :trouble, retry_after = :retryAfter, duplicate = :duplicate,
                 verified = :verified, reply = :reply, headers = :headers
               WHERE number = :number AND intent = (SELECT seq FROM intents WHERE id = :id)`,
  conclude: `UPDATE intents SET state = :state, owner = NULL, why = :why, updated_at = :at
             WHERE id = :id AND state = 'sending' AND owner = :owner RETURNING *`,
  acceptLate: `UPDATE intents SET state = 'accepted', owner = NULL, why = NULL, resolved_as = NULL, updated_at = :at
               WHERE id = :id AND state <> 'accepted'`,
  hold: `UPDATE intents SET state = 'held', why = :why, updated_at = :at WHERE id = :id AND state = 'unknown'`,
  addDecision: `INSERT INTO decisions (intent, kind, who, at, reason, signature)
                SELECT seq, :kind, :who, :at, :reason, :signature FROM intents WHERE id = :id`,
  forgetLanding: `UPDATE intents SET may_have_landed_at = NULL WHERE id = :id`,
  renewLanding: `UPDATE intents SET may_have_landed_at = :at WHERE id = :id`,
  resolve: `UPDATE intents SET state = 'resolved', resolved_as = :kind, why = NULL, updated_at = :at WHERE id = :id`,
  markReported: `UPDATE intents SET reported_at = :at WHERE id = :id AND reported_at IS NULL`,
  leaveBehind: `UPDATE intents SET left_behind = 1 WHERE id = :id AND left_behind = 0`,

  readMeta: `SELECT value FROM meta WHERE name = :name`,
  writeMeta: `INSERT INTO meta (name, value) VALUES (:name, :value)`,
} as const;

export type Verb = keyof typeof statements;
