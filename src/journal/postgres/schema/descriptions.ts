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

type Description = readonly [
  about: string,
  /** Columns that mean here what they mean everywhere. */
  shared: readonly (keyof typeof everywhere)[],
  own: Readonly<Record<string, string>>,
];

const tables: Readonly<Record<string, Description>> = {
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
      resolved_as: 'what a person or a chain decided: happened or did-not-happen',
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
    { kind: 'what was decided', reason: 'why', fingerprint: 'of an approval: the body that it is for' },
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
    { units: 'how much, in the smallest unit', summed: 'whether spent has it' },
  ],
  spent: [
    'What was spent, hour by hour',
    ['asset'],
    {
      recipient: 'the address that got it; empty for all together',
      hour: 'which hour since 1970',
      units: 'how much, in the smallest unit',
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

/** What each table, view and column is, for people who look into the database itself. */
export const descriptions = [...comments('TABLE', tables), ...comments('VIEW', views)].join('');
