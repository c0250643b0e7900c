/** The columns of the table intents of a journal in a file, and who lives: by the lease, and by what is on record. */
const intentsNow = `
CREATE VIEW intents_now WITH (security_invoker = true) AS
SELECT i.seq, i.id, i.kind, i.base_url, i.spelled_url, i.bot, i.named_by, i.name, i.row_id, i.key, i.identity,
  coalesce(r.fingerprint, i.fingerprint) AS fingerprint, s.payment, coalesce(r.body, i.body) AS body,
  s.state, s.tainted::integer AS tainted, s.may_have_landed_at, s.token_hash, s.owner, s.why, s.resolved_as,
  s.attempts, i.created_at, s.updated_at, s.reported_at, s.left_behind::integer AS left_behind, s.body_version,
  CASE WHEN s.owner IS NULL THEN NULL ELSE coalesce(o.ended_at IS NULL AND o.renewed_at
    + (SELECT convert_from(value, 'UTF8')::bigint FROM meta WHERE name = 'lease-ms')
    >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint, false) END AS owner_lives,
  CASE WHEN s.owner IS NULL THEN NULL ELSE coalesce(o.ended_at IS NOT NULL, true) END AS owner_ended
FROM intents i
JOIN standing s ON s.intent = i.seq
LEFT JOIN rewrites r ON r.intent = s.intent AND r.version = s.body_version
LEFT JOIN owners o ON o.id = s.owner;
`;

/** What a person reads of what is paid: one line for each transfer. Who may look at the journal may look at this. */
const payments = `
CREATE VIEW payments WITH (security_invoker = true) AS
SELECT to_timestamp(i.created_at / 1000.0) AS "time", i.bot, (s.payment::jsonb)->>0 AS recipient,
  convert_from(coalesce(r.body, i.body), 'UTF8')::json->>'asset' AS asset, ((s.payment::jsonb)->>2)::numeric AS amount,
  CASE WHEN s.resolved_as IS NULL THEN s.state ELSE 'resolved: ' || s.resolved_as END AS state,
  CASE WHEN i.row_id IS NULL THEN i.name ELSE i.name || ' ' || i.row_id END AS name,
  coalesce((SELECT p.value FROM receipts p WHERE p.intent = i.seq AND p.what = 'signature' LIMIT 1),
    (SELECT d.signature FROM decisions d WHERE d.intent = i.seq AND d.signature IS NOT NULL ORDER BY d.seq DESC LIMIT 1))
    AS signature,
  (SELECT o.verdict FROM observations o WHERE o.intent = i.seq AND o.verdict NOT IN ('acknowledged', 'before')
    ORDER BY o.verdict = 'proven' DESC, o.seq DESC LIMIT 1) AS chain
FROM intents i
JOIN standing s ON s.intent = i.seq
LEFT JOIN rewrites r ON r.intent = s.intent AND r.version = s.body_version
WHERE i.kind = 'transfer';
`;

export const views = intentsNow + payments;
