/**
 * What puts the intents of another journal into this one: a page in each transaction, in steps that its rules allow.
 * Each intent is claimed by who copies, and nobody else sees it before it stands as it stood there. It is claimed at
 * its latest attempt: then it was spent.
 */

const standing = `state text, tainted boolean, may_have_landed_at bigint, token_hash text, why text, resolved_as text,
  attempts int, updated_at bigint, reported_at bigint, left_behind boolean`;

export const copySql = {
  /**
   * The given intents that are here already, under the same key; and whether all of their attempts are, too, because
   * an earlier run of the copy took them in.
   */
  known: `SELECT g.n, i.id, s.state, s.tainted, s.may_have_landed_at, s.token_hash, s.why, s.resolved_as, s.attempts,
            s.updated_at, s.reported_at, s.left_behind, coalesce(r.fingerprint, i.fingerprint) AS fingerprint,
            json_array_length(g.tries) > 0 AND NOT EXISTS (
              SELECT started_at, ended_at, verdict, request_id FROM json_to_recordset(g.tries)
                AS t(started_at bigint, ended_at bigint, verdict text, request_id text)
              EXCEPT SELECT started_at, ended_at, verdict, request_id FROM @schema.attempts a WHERE a.intent = i.seq
            ) AS is_taken_in
          FROM json_to_recordset($1::json) AS g(n int, key text, base_url text, kind text, tries json)
          JOIN @schema.intents i ON i.key = g.key AND i.base_url = g.base_url AND i.kind = g.kind
          JOIN @schema.standing s ON s.intent = i.seq
          LEFT JOIN @schema.rewrites r ON r.intent = s.intent AND r.version = s.body_version`,

  begin: `WITH given AS (SELECT * FROM json_to_recordset($1::json) AS g(n int, id text, kind text, base_url text,
            spelled_url text, bot text, named_by text, name text, row_id text, key text, identity text,
            fingerprint text, payment text, body text, created_at bigint, claimed_at bigint, is_proposal boolean)),
          begun AS (INSERT INTO @schema.intents (created_at, id, kind, base_url, spelled_url, bot, named_by, name,
              row_id, key, identity, fingerprint, payment, body)
            SELECT created_at, id, kind, base_url, nullif(spelled_url, base_url), bot, named_by, name, row_id, key,
              identity, fingerprint, payment, decode(body, 'base64') FROM given ORDER BY n
            RETURNING seq, id, created_at, payment)
          INSERT INTO @schema.standing (intent, created_at, updated_at, attempts, state, owner, why, payment)
          SELECT b.seq, b.created_at, g.claimed_at, 0, CASE WHEN g.is_proposal THEN 'held' ELSE 'sending' END,
            CASE WHEN g.is_proposal THEN NULL ELSE $2 END, CASE WHEN g.is_proposal THEN 'approval' END, b.payment
          FROM begun b JOIN given g ON g.id = b.id`,

  /** One that stands here is claimed, to take in what another journal knows of it. */
  claim: `UPDATE @schema.standing s SET state = 'sending', owner = $3, why = NULL, resolved_as = NULL,
            updated_at = greatest((SELECT max(a.started_at) FROM @schema.attempts a WHERE a.intent = s.intent), $4)
          FROM @schema.intents i WHERE i.id = $1 AND s.intent = i.seq AND s.state = $2`,

  beginAttempts: `INSERT INTO @schema.attempts (intent, number, started_at) SELECT i.seq, g.number, g.started_at
          FROM json_to_recordset($1::json) AS g(id text, number int, started_at bigint)
          JOIN @schema.intents i ON i.id = g.id`,

  endAttempts: `UPDATE @schema.attempts a SET ended_at = g.ended_at, phase = g.phase, verdict = g.verdict,
            status = g.status, request_id = g.request_id, trouble = g.trouble, retry_after = g.retry_after,
            duplicate = g.duplicate, verified = g.verified, reply = decode(g.reply, 'base64'), headers = g.headers
          FROM json_to_recordset($1::json) AS g(id text, number int, ended_at bigint, phase text, verdict text,
            status int, request_id text, trouble text, retry_after bigint, duplicate boolean, verified boolean,
            reply text, headers text)
          JOIN @schema.intents i ON i.id = g.id
          WHERE a.intent = i.seq AND a.number = g.number AND g.verdict IS NOT NULL`,

  /** What was resolved goes there by the way that all intents go. */
  stand: `UPDATE @schema.standing s SET owner = NULL, tainted = g.tainted, may_have_landed_at = g.may_have_landed_at,
            token_hash = g.token_hash, why = g.why, attempts = g.attempts, updated_at = g.updated_at,
            reported_at = g.reported_at, left_behind = g.left_behind,
            state = CASE WHEN g.state <> 'resolved' THEN g.state WHEN g.tainted THEN 'unknown' ELSE 'open' END
          FROM json_to_recordset($1::json) AS g(id text, ${standing})
          JOIN @schema.intents i ON i.id = g.id WHERE s.intent = i.seq`,

  resolve: `UPDATE @schema.standing s SET state = 'resolved', resolved_as = g.resolved_as
          FROM json_to_recordset($1::json) AS g(id text, ${standing})
          JOIN @schema.intents i ON i.id = g.id WHERE s.intent = i.seq AND g.state = 'resolved'`,

  decide: `INSERT INTO @schema.decisions (intent, kind, who, at, reason, signature, fingerprint)
          SELECT i.seq, g.kind, g.who, g.at, g.reason, g.signature, g.fingerprint
          FROM json_to_recordset($1::json) AS g(n int, id text, kind text, who text, at bigint, reason text,
            signature text, fingerprint text) JOIN @schema.intents i ON i.id = g.id ORDER BY g.n`,

  keepReceipts: `INSERT INTO @schema.receipts (origin, what, value, intent) SELECT g.origin, g.what, g.value, i.seq
          FROM json_to_recordset($1::json) AS g(id text, origin text, what text, value text)
          JOIN @schema.intents i ON i.id = g.id ORDER BY g.value ON CONFLICT DO NOTHING`,

  /** What both journals took for their own payment is the other one's here: it is looked at anew. */
  observe: `INSERT INTO @schema.observations (intent, verdict, who, at, signature, genesis, instruction, facts)
          SELECT i.seq, CASE WHEN g.verdict = 'proven' AND NOT EXISTS (SELECT FROM @schema.receipts r
              WHERE r.intent = i.seq AND r.what = 'instruction' AND r.origin = g.genesis
              AND r.value = g.signature || '/' || g.instruction) THEN 'undecided' ELSE g.verdict END,
            g.who, g.at, g.signature, g.genesis, g.instruction, g.facts
          FROM json_to_recordset($1::json) AS g(n int, id text, verdict text, who text, at bigint, signature text,
            genesis text, instruction text, facts text) JOIN @schema.intents i ON i.id = g.id ORDER BY g.n`,

  adoptSalt: `UPDATE @schema.salt SET value = $1 WHERE name = 'salt'`,

  place: `SELECT EXISTS (SELECT FROM @schema.intents) AS used,
            has_table_privilege(current_user, '@schema.salt', 'UPDATE') AS may_adopt,
            has_table_privilege(current_user, '@schema.intents', 'INSERT') AS may_add`,
} as const;
