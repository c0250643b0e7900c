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

DO $body$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT pg_get_userbyid(a.grantee) AS role FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
    WHERE c.oid = 'decisions'::regclass AND a.grantee <> c.relowner AND a.grantee <> 0 AND a.privilege_type = 'SELECT'
  LOOP
    EXECUTE format('GRANT SELECT ON payments TO %I', given.role);
  END LOOP;
END $body$;
`;

const ms = 'in milliseconds since 1970';

/** A column that means the same wherever it stands. */
const everywhere = {
  seq: 'its number, in the order of adding',
  intent: 'the number of the intent (intents.seq)',
  at: `when, ${ms}`,
  who: 'who did it: user@machine',
  kind: 'message or transfer',
  base_url: 'the service, in one spelling',
  asset: 'SOL, or a token, in lower case',
  recipient: 'the address that gets it',
  bot: 'who speaks: a profile, or env',
  name: 'the name that the caller gave, if any',
  owner: 'the process that has it in hand (owners.id)',
  ended_at: `when it ended, ${ms}; empty until then`,
  created_at: `when it was begun, ${ms}`,
  updated_at: `when its state last changed, ${ms}`,
  fingerprint: 'a digest of the body: two that differ want something else',
  body: 'the request, byte by byte as it is sent',
  payment: 'of a transfer: recipient, asset and amount, as JSON',
  state: 'open, sending, unknown, accepted, rejected, held or resolved',
  signature: 'the signature of the transaction, where it is known',
  verdict: 'what it proves',
  round: 'how often the batch was begun',
} as const;

/** Each table and view, with what stands in it, and the columns that have a meaning of their own there. */
const relations: Readonly<
  Record<string, readonly [about: string, columns: Readonly<Record<string, string>>]>
> = {
  meta: [
    'Facts of the journal itself: version, id, lease',
    { name: 'which fact', value: 'what it is, as bytes' },
  ],
  salt: [
    'What tokens are hashed with; not for who only looks',
    { name: 'always salt', value: 'random bytes' },
  ],
  servers: [
    'The servers and timelines that this journal was on',
    {
      system_id: 'the server’s system identifier',
      timeline: 'its timeline: a promotion begins another',
      since_ms: `since when, ${ms}`,
    },
  ],
  owners: [
    'Processes that send, each with its lease',
    {
      id: 'the process, by a name of its own',
      host: 'its machine',
      pid: 'its number there',
      begun_at: `when it began, ${ms}`,
      renewed_at: `when it was last heard of, ${ms}`,
    },
  ],
  intents: [
    'What is wanted, each once: a message or a transfer. What became of it is in standing',
    {
      id: 'what people call it',
      spelled_url: 'the service as it was written, where that differs',
      named_by: 'by what it was named: once, run, key or row',
      row_id: 'the row of a batch',
      key: 'its idempotency key, chosen once',
      identity: 'a digest: the same wish has the same one',
    },
  ],
  rewrites: [
    'Later bodies of intents that were rejected under their first',
    { version: 'which body, from 2 on' },
  ],
  standing: [
    'Where each intent stands now',
    {
      may_have_landed_at: `since when an attempt may have taken effect unseen, ${ms}`,
      reported_at: `when a caller was told the outcome, ${ms}`,
      body_version: 'which body counts: 1 is in intents, others in rewrites',
      attempts: 'how many were made',
      tainted: 'whether an earlier attempt may have taken effect',
      left_behind: 'whether a new intent took its place',
      token_hash: 'a salted hash of the token that it was sent with',
      why: 'why it is held',
      resolved_as: 'what a person or a chain decided: happened or did-not-happen',
    },
  ],
  attempts: [
    'Each request that was made',
    {
      number: 'which attempt of the intent',
      status: 'the HTTP status of the reply',
      started_at: `when it began, ${ms}`,
      retry_after: 'how long the service asked to wait, in milliseconds',
      duplicate: 'whether the service said that it had it already',
      verified: 'whether what was done is known to be what was asked for',
      phase: 'how far it came: not-sent, sent, replied or process-died',
      verdict: 'what it proves: accepted, rejected, unsent, limited, unknown or held',
      request_id: 'what the service calls the request',
      trouble: 'what went wrong',
      reply: 'the body of the reply',
      headers: 'the headers that were kept, as JSON',
    },
  ],
  decisions: [
    'What people decided of intents, and why',
    { kind: 'what was decided', reason: 'why', fingerprint: 'of an approval: the body that it is for' },
  ],
  receipts: [
    'Transfer ids, signatures and instructions: each belongs to one intent only',
    {
      origin: 'the service or the chain that said it',
      what: 'transfer-id, signature or instruction',
      value: 'the id, or a digest where it is long',
    },
  ],
  losses: [
    'What was missing, and accepted as that',
    { what: 'what was missing', detail: 'which ones, as JSON' },
  ],
  batches: [
    'Batches that several machines work on',
    {
      name: 'the name of the batch',
      digest: 'SHA-256 of its file',
      rows: 'how many rows it has',
      next_ordinal: 'the first row that nobody has taken',
    },
  ],
  shares: [
    'Which runner has which rows of a batch',
    { batch: 'the number of the batch (batches.seq)', first: 'its first row', last: 'its last row' },
  ],
  observations: [
    'What a chain was seen to say of transfers',
    {
      verdict:
        'proven, likely, contradicted, undecided or acknowledged; before: what a node said before the first attempt',
      genesis: 'which chain, by its genesis hash',
      instruction: 'which instruction of the transaction paid',
      facts: 'what was seen, as JSON',
    },
  ],
  policies: ['The journal’s policies; the latest applies', { text: 'the policy, as JSON' }],
  counting: ['Since when it is counted what is spent', { one: 'always 1', since: `since when, ${ms}` }],
  spending: [
    'What transfers spend, one by one; taken back with a minus',
    { units: 'how much, in the smallest unit', summed: 'whether spent has it' },
  ],
  spent: [
    'What was spent, hour by hour',
    {
      recipient: 'the address that got it; empty for all together',
      hour: 'which hour since 1970',
      units: 'how much, in the smallest unit',
    },
  ],
  paid: [
    'Addresses that were paid before',
    {
      address: 'the address',
      head: 'its first three characters, in lower case',
      tail: 'its last three characters, in lower case',
      since: `when it was first paid, ${ms}`,
    },
  ],
  intents_now: [
    'Intents with where they stand, as botctl reads them',
    {
      id: 'what people call it',
      spelled_url: 'the service as it was written, where that differs',
      named_by: 'by what it was named: once, run, key or row',
      row_id: 'the row of a batch',
      key: 'its idempotency key, chosen once',
      identity: 'a digest: the same wish has the same one',
      tainted: '1 if an earlier attempt may have taken effect',
      may_have_landed_at: `since when an attempt may have taken effect unseen, ${ms}`,
      token_hash: 'a salted hash of the token that it was sent with',
      why: 'why it is held',
      resolved_as: 'what a person or a chain decided: happened or did-not-happen',
      attempts: 'how many were made',
      reported_at: `when a caller was told the outcome, ${ms}`,
      left_behind: '1 if a new intent took its place',
      body_version: 'which body counts',
      owner_lives: 'whether the process that has it in hand still renews its lease',
      owner_ended: 'whether its end is on record',
    },
  ],
  payments: [
    'All transfers, for people to read: who paid how much of what to whom, and how that stands',
    {
      time: 'when it was first asked for',
      asset: 'SOL, or a token',
      amount: 'how much of it, as it was asked for',
      state: 'accepted, rejected, unknown, held, open, sending, or how a person resolved it',
      name: 'its name; of a row of a batch, the batch and the row',
      chain: 'what a chain says: proven, likely, contradicted or undecided; empty if not asked',
    },
  ],
};

/** Of our own only: in the same schema others may have tables. */
const comments = `
DO $body$
DECLARE
  everywhere constant jsonb := $json$${JSON.stringify(everywhere)}$json$;
  relations constant jsonb := $json$${JSON.stringify(relations)}$json$;
  relation record;
  col record;
BEGIN
  FOR relation IN SELECT c.oid, c.relname, c.relkind, relations->c.relname::text AS says FROM pg_class c
    WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'meta'::regclass)
      AND c.relkind IN ('r', 'v') AND relations ? c.relname::text
  LOOP
    EXECUTE format('COMMENT ON %s %I IS %L',
      CASE relation.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, relation.relname, relation.says->>0);
    FOR col IN SELECT attname, coalesce(relation.says->1->>attname::text, everywhere->>attname::text) AS says
      FROM pg_attribute WHERE attrelid = relation.oid AND attnum > 0 AND NOT attisdropped
    LOOP
      EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', relation.relname, col.attname, col.says);
    END LOOP;
  END LOOP;
END $body$;
`;

export const described = ['SET LOCAL search_path = @schema, pg_temp;', payments, comments].join('\n');
