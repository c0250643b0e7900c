// SQL: the shared journal’s tables, and what each column is for those who audit it.

/**
 * The tables of a shared journal, except those for spending (migrations.ts). All text is compared byte by byte, so that
 * a locale update cannot break a unique key.
 */
export const tables = `
CREATE TABLE meta (
  name   text COLLATE "C" PRIMARY KEY,
  value  bytea NOT NULL
);

-- In a table of its own, so that roles which only look need not read it.
CREATE TABLE salt (
  name   text COLLATE "C" PRIMARY KEY CHECK (name = 'salt'),
  value  bytea NOT NULL CHECK (length(value) >= 32)
);

CREATE TABLE servers (
  system_id  text COLLATE "C" NOT NULL,
  timeline   bigint NOT NULL,
  since_ms   bigint NOT NULL,
  PRIMARY KEY (system_id, timeline)
);

CREATE TABLE owners (
  id          text COLLATE "C" PRIMARY KEY CHECK (id <> ''),
  host        text COLLATE "C" NOT NULL,
  pid         integer NOT NULL,
  begun_at    bigint NOT NULL,
  renewed_at  bigint NOT NULL,
  ended_at    bigint,
  asked_at    bigint
) WITH (fillfactor = 50);

-- What an intent is. How it stands is in standing.
CREATE TABLE intents (
  seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  created_at   bigint NOT NULL,
  id           text COLLATE "C" NOT NULL CONSTRAINT intents_id UNIQUE,
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('message', 'transfer')),
  base_url     text COLLATE "C" NOT NULL,
  -- The URL as given, if the identity spells it differently: there all loopback names count as one.
  spelled_url  text COLLATE "C",
  bot          text COLLATE "C" NOT NULL,
  named_by     text COLLATE "C" CHECK (named_by IN ('once', 'run', 'key', 'row')),
  name         text COLLATE "C",
  row_id       text COLLATE "C",
  columns      text COLLATE "C",
  key          text COLLATE "C" NOT NULL CHECK (key <> ''),
  identity     text COLLATE "C" NOT NULL,
  fingerprint  text COLLATE "C" NOT NULL,
  payment      text COLLATE "C",
  body         bytea NOT NULL,
  CONSTRAINT intents_key UNIQUE (key, base_url, kind),
  CONSTRAINT "a name has a giver" CHECK ((named_by IS NULL) = (name IS NULL)),
  CONSTRAINT "only a transfer is a payment" CHECK ((kind = 'transfer') = (payment IS NOT NULL))
);
-- A named intent is found by its key.
CREATE INDEX intents_unnamed ON intents (identity, seq) WHERE named_by IS NULL;
CREATE INDEX intents_row_name ON intents (name, seq) WHERE named_by = 'row';
CREATE INDEX intents_created ON intents (created_at, seq);
-- Finds the same payment made before without a name of its own. Such intents are few; the rows of a batch are many.
CREATE INDEX intents_unnamed_payment ON intents (payment)
  WHERE payment IS NOT NULL AND (named_by IS NULL OR named_by = 'run');
-- One index for each filter of the history, which shows the newest first.
CREATE INDEX intents_name ON intents (name, created_at, seq) WHERE name IS NOT NULL;
CREATE INDEX intents_bot ON intents (bot, created_at, seq);
CREATE INDEX intents_kind ON intents (kind, created_at, seq);
-- A payment begins with its recipient, so this index finds recipients, too.
CREATE INDEX intents_payment ON intents (payment, created_at) WHERE payment IS NOT NULL;

-- The base URLs that have intents. They are few, and every claim of a name asks for them.
CREATE TABLE services (base_url text COLLATE "C" PRIMARY KEY);

-- An intent's second body, and later ones. The first is in intents; standing names the one that counts.
CREATE TABLE rewrites (
  intent       bigint NOT NULL REFERENCES intents (seq),
  version      integer NOT NULL CHECK (version > 1),
  fingerprint  text COLLATE "C" NOT NULL,
  payment      text COLLATE "C",
  body         bytea NOT NULL,
  PRIMARY KEY (intent, version)
);
CREATE INDEX rewrites_payment ON rewrites (payment) WHERE payment IS NOT NULL;

-- How an intent stands. The table is narrow because every attempt rewrites the row. A trigger makes sure that each row
-- belongs to an intent: a foreign key would ask row by row.
CREATE TABLE standing (
  intent              bigint PRIMARY KEY,
  created_at          bigint NOT NULL,
  may_have_landed_at  bigint,
  updated_at          bigint NOT NULL,
  reported_at         bigint,
  body_version        integer NOT NULL DEFAULT 1,
  attempts            integer NOT NULL DEFAULT 0,
  tainted             boolean NOT NULL DEFAULT false,
  left_behind         boolean NOT NULL DEFAULT false,
  state               text COLLATE "C" NOT NULL CHECK (state IN
                        ('open', 'sending', 'unknown', 'accepted', 'rejected', 'held', 'resolved')),
  payment             text COLLATE "C",
  token_hash          text COLLATE "C",
  owner               text COLLATE "C",
  why                 text COLLATE "C",
  resolved_as         text COLLATE "C" CHECK (resolved_as IN ('happened', 'did-not-happen', 'declined')),
  CONSTRAINT "only what is being sent has an owner" CHECK ((state = 'sending') = (owner IS NOT NULL)),
  CONSTRAINT "only what is resolved was resolved as something" CHECK ((state = 'resolved') = (resolved_as IS NOT NULL)),
  CONSTRAINT "what may have landed is neither open nor rejected" CHECK (state NOT IN ('open', 'rejected') OR NOT tainted),
  CONSTRAINT "what is unknown may have landed" CHECK (state <> 'unknown' OR tainted),
  -- Held although nothing of it may have landed: it waits for a person's approval.
  CONSTRAINT "what is held may have landed, or is a proposal" CHECK
    (state <> 'held' OR tainted OR coalesce(why, '') IN ('approval', 'proposed', 'above-limit'))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
-- For queries in exactly these words. With a plainer condition, the planner would take this index, full of dead rows,
-- instead of the primary key for "state = 'sending'" beside a key: twice the cost of a row.
CREATE INDEX standing_not_accepted ON standing (state, created_at, intent) WHERE (state <> 'accepted') IS TRUE;
CREATE INDEX standing_unfinished_payment ON standing (payment)
  WHERE payment IS NOT NULL AND state IN ('sending', 'unknown', 'held');
-- Intents that may have been paid long after they began, or with another body: proposals, and those refused at first.
CREATE INDEX standing_late_payment ON standing (payment, updated_at)
  WHERE payment IS NOT NULL AND (updated_at - created_at > 600000 OR body_version > 1);

CREATE TABLE attempts (
  intent       bigint NOT NULL,
  number       integer NOT NULL CHECK (number > 0),
  status       integer,
  started_at   bigint NOT NULL,
  ended_at     bigint,
  retry_after  bigint,
  duplicate    boolean NOT NULL DEFAULT false,
  verified     boolean NOT NULL DEFAULT true,
  phase        text COLLATE "C" CHECK (phase IN ('not-sent', 'sent', 'replied', 'process-died')),
  verdict      text COLLATE "C" CHECK (verdict IN ('accepted', 'rejected', 'unsent', 'limited', 'unknown', 'held')),
  request_id   text COLLATE "C",
  trouble      text COLLATE "C",
  reply        bytea,
  headers      text COLLATE "C",
  PRIMARY KEY (intent, number),
  CONSTRAINT "an attempt that ended has a verdict" CHECK ((verdict IS NULL) = (ended_at IS NULL))
-- A reply makes a row at least five times as long. With this fill factor it usually still fits on its page.
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE decisions (
  seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  intent       bigint NOT NULL REFERENCES intents (seq),
  kind         text COLLATE "C" NOT NULL CHECK (kind IN
                 ('happened', 'did-not-happen', 'send-again', 'proposed', 'approved', 'declined')),
  who          text COLLATE "C" NOT NULL,
  at           bigint NOT NULL,
  reason       text COLLATE "C" NOT NULL,
  signature    text COLLATE "C",
  fingerprint  text COLLATE "C",
  -- Empty if it was copied from another journal.
  role         text COLLATE "C" DEFAULT session_user
);
CREATE INDEX decisions_intent ON decisions (intent);

-- A transfer id or a signature of one service, or an instruction on one chain, belongs to one intent.
CREATE TABLE receipts (
  intent  bigint NOT NULL,
  origin  text COLLATE "C" NOT NULL,
  what    text COLLATE "C" NOT NULL CHECK (what IN ('transfer-id', 'signature', 'instruction')),
  value   text COLLATE "C" NOT NULL CHECK (value <> ''),
  CONSTRAINT receipts_value UNIQUE (value, what, origin)
);
CREATE INDEX receipts_intent ON receipts (intent);

-- What chains were seen to say about intents.
CREATE TABLE observations (
  seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  intent       bigint NOT NULL REFERENCES intents (seq),
  verdict      text COLLATE "C" NOT NULL
                 CHECK (verdict IN ('proven', 'likely', 'contradicted', 'undecided', 'acknowledged', 'before')),
  who          text COLLATE "C" NOT NULL,
  at           bigint NOT NULL,
  signature    text COLLATE "C",
  genesis      text COLLATE "C",
  instruction  text COLLATE "C",
  facts        text COLLATE "C" NOT NULL,
  CONSTRAINT "what is proven says where"
    CHECK (verdict <> 'proven' OR (signature IS NOT NULL AND genesis IS NOT NULL AND instruction IS NOT NULL))
);
CREATE INDEX observations_intent ON observations (intent);

CREATE TABLE losses (
  seq     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  what    text COLLATE "C" NOT NULL,
  who     text COLLATE "C" NOT NULL,
  at      bigint NOT NULL,
  detail  text COLLATE "C" NOT NULL
);

-- One file that many runners work on. A round gives each ordinal to one runner; running the file again begins a new
-- round.
CREATE TABLE batches (
  seq           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  base_url      text COLLATE "C" NOT NULL,
  kind          text COLLATE "C" NOT NULL CHECK (kind IN ('message', 'transfer')),
  name          text COLLATE "C" NOT NULL,
  digest        text COLLATE "C" NOT NULL,
  rows          bigint NOT NULL CHECK (rows >= 0),
  skipped       bigint NOT NULL DEFAULT 0,
  skipped_in_doubt bigint NOT NULL DEFAULT 0,
  totals        text COLLATE "C" NOT NULL DEFAULT '[]',
  beyond        text COLLATE "C" NOT NULL DEFAULT '{"rows":0,"totals":[]}',
  round         integer NOT NULL DEFAULT 1 CHECK (round > 0),
  next_ordinal  bigint NOT NULL DEFAULT 1 CHECK (next_ordinal > 0),
  CONSTRAINT batches_name UNIQUE (name, base_url, kind)
) WITH (fillfactor = 50);

CREATE TABLE shares (
  batch     bigint NOT NULL REFERENCES batches (seq),
  round     integer NOT NULL,
  first     bigint NOT NULL CHECK (first > 0),
  last      bigint NOT NULL,
  owner     text COLLATE "C" NOT NULL REFERENCES owners (id),
  ended_at  bigint,
  PRIMARY KEY (batch, round, first),
  CONSTRAINT "a share ends after it begins" CHECK (first <= last)
) WITH (fillfactor = 70);
`;

const ms = 'in milliseconds since 1970';

/** Columns that mean the same in every table. */
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

type Description = readonly [
  about: string,
  /** Columns with their meaning from `everywhere`. */
  shared: readonly (keyof typeof everywhere)[],
  own: Readonly<Record<string, string>>,
];

const describedTables: Readonly<Record<string, Description>> = {
  meta: [
    'Facts of the journal itself: version, id, lease',
    [],
    { name: 'which fact', value: 'what it is, as bytes' },
  ],
  salt: [
    'What tokens are hashed with; not for who only looks',
    [],
    { name: 'always salt', value: 'random bytes' },
  ],
  servers: [
    'The servers and timelines that this journal was on',
    [],
    {
      system_id: 'the server’s system identifier',
      timeline: 'its timeline: a promotion begins another',
      since_ms: `since when, ${ms}`,
    },
  ],
  owners: [
    'Processes that send, each with its lease',
    ['ended_at'],
    {
      id: 'the process, by a name of its own',
      host: 'its machine',
      pid: 'its number there',
      begun_at: `when it began, ${ms}`,
      renewed_at: `when it was last heard of, ${ms}`,
      asked_at: `when another process first asked it to give back what it has not begun to send, ${ms}`,
    },
  ],
  intents: [
    'What is wanted, each once: a message or a transfer. What became of it is in standing',
    ['seq', 'created_at', 'kind', 'base_url', 'bot', 'name', 'fingerprint', 'payment', 'body'],
    {
      id: 'what people call it',
      spelled_url: 'the service as it was written, where that differs',
      named_by: 'by what it was named: once, run, key or row',
      row_id: 'the row of a batch',
      columns: 'what its row said beside the request, as JSON; it is never sent',
      key: 'its idempotency key, chosen once',
      identity: 'a digest: the same wish has the same one',
    },
  ],
  services: ['the base URLs at which there are intents', [], { base_url: 'as in intents.base_url' }],
  rewrites: [
    'Later bodies of intents that were rejected under their first',
    ['intent', 'fingerprint', 'payment', 'body'],
    { version: 'which body, from 2 on' },
  ],
  standing: [
    'Where each intent stands now',
    ['intent', 'created_at', 'updated_at', 'state', 'payment', 'owner'],
    {
      may_have_landed_at: `since when an attempt may have taken effect unseen, ${ms}`,
      reported_at: `when a caller was told the outcome, ${ms}`,
      body_version: 'which body counts: 1 is in intents, others in rewrites',
      attempts: 'how many were made',
      tainted: 'whether an earlier attempt may have taken effect',
      left_behind: 'whether a new intent took its place',
      token_hash: 'a salted hash of the token that it was sent with',
      why: 'why it is held',
      resolved_as: 'what a person or a chain decided: happened, did-not-happen or declined',
    },
  ],
  attempts: [
    'Each request that was made',
    ['intent', 'ended_at'],
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
      trouble: 'what went wrong, as JSON',
      reply: 'the body of the reply',
      headers: 'the headers that were kept, as JSON',
    },
  ],
  decisions: [
    'What people decided of intents, and why',
    ['seq', 'intent', 'who', 'at', 'signature'],
    {
      kind: 'what was decided',
      reason: 'why',
      fingerprint: 'of a proposal, and of what was decided about it: the body that it is for',
      role: 'the database role that decided; empty if it was copied from another journal',
    },
  ],
  receipts: [
    'Transfer ids, signatures and instructions: each belongs to one intent only',
    ['intent'],
    {
      origin: 'the service or the chain that said it',
      what: 'transfer-id, signature or instruction',
      value: 'the id, or a digest where it is long',
    },
  ],
  losses: [
    'What was missing, and accepted as that',
    ['seq', 'who', 'at'],
    { what: 'what was missing', detail: 'which ones, as JSON' },
  ],
  batches: [
    'Batches that several machines work on',
    ['seq', 'base_url', 'kind', 'round'],
    {
      name: 'the name of the batch',
      digest: 'SHA-256 of its file',
      rows: 'how many rows it has',
      skipped: 'how many of them were left out: paid already',
      skipped_in_doubt: 'how many of those only may have been paid',
      totals: 'of each asset the sum, as JSON',
      beyond: 'what the journal had under this name beyond the file, as JSON',
      next_ordinal: 'the first row that nobody has taken',
    },
  ],
  shares: [
    'Which runner has which rows of a batch',
    ['round', 'owner', 'ended_at'],
    { batch: 'the number of the batch (batches.seq)', first: 'its first row', last: 'its last row' },
  ],
  observations: [
    'What a chain was seen to say of transfers',
    ['seq', 'intent', 'who', 'at', 'signature'],
    {
      verdict:
        'proven, likely, contradicted, undecided or acknowledged; before: what a node said before the first attempt',
      genesis: 'which chain, by its genesis hash',
      instruction: 'which instruction of the transaction paid',
      facts: 'what was seen, as JSON',
    },
  ],
  policies: [
    'The journal’s policies; the latest applies',
    ['seq', 'who', 'at'],
    { text: 'the policy, as JSON' },
  ],
  counting: ['Since when it is counted what is spent', [], { one: 'always 1', since: `since when, ${ms}` }],
  spending: [
    'What transfers spend, one by one; taken back with a minus',
    ['seq', 'intent', 'asset', 'recipient', 'at'],
    { units: 'how much, as the transfer says it', summed: 'whether spent has it' },
  ],
  spent: [
    'What was spent, hour by hour',
    ['asset'],
    {
      recipient: 'the address that got it; empty for all together',
      hour: 'which hour since 1970',
      units: 'how much, as the transfer says it',
    },
  ],
  paid: [
    'Addresses that were paid before',
    [],
    {
      address: 'the address',
      head: 'its first three characters, in lower case',
      tail: 'its last three characters, in lower case',
      since: `when it was first paid, ${ms}`,
    },
  ],
};

const views: Readonly<Record<string, Description>> = {
  intents_now: [
    'Intents with where they stand, as botctl reads them',
    [
      'seq',
      'kind',
      'base_url',
      'bot',
      'name',
      'fingerprint',
      'payment',
      'body',
      'state',
      'owner',
      'created_at',
      'updated_at',
    ],
    {
      id: 'what people call it',
      spelled_url: 'the service as it was written, where that differs',
      named_by: 'by what it was named: once, run, key or row',
      row_id: 'the row of a batch',
      columns: 'what its row said beside the request, as JSON; it is never sent',
      key: 'its idempotency key, chosen once',
      identity: 'a digest: the same wish has the same one',
      tainted: '1 if an earlier attempt may have taken effect',
      may_have_landed_at: `since when an attempt may have taken effect unseen, ${ms}`,
      token_hash: 'a salted hash of the token that it was sent with',
      why: 'why it is held',
      resolved_as: 'what a person or a chain decided: happened, did-not-happen or declined',
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
    ['bot', 'recipient', 'signature'],
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

function comments(kind: 'TABLE' | 'VIEW', relations: Readonly<Record<string, Description>>): string[] {
  return Object.entries(relations).flatMap(([name, [about, shared, own]]) => [
    comment(`${kind} ${name}`, about),
    ...shared.map((column) => comment(`COLUMN ${name}.${column}`, everywhere[column])),
    ...Object.entries(own).map(([column, says]) => comment(`COLUMN ${name}.${column}`, says)),
  ]);
}

function comment(on: string, says: string): string {
  return `COMMENT ON ${on} IS '${says.replaceAll("'", "''")}';\n`;
}

/** Descriptions of each table, view and column, for people who look into the database itself. */
export const descriptions = [...comments('TABLE', describedTables), ...comments('VIEW', views)].join('');
