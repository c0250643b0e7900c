// SQL: the columns of each table. Tables, INSERTs, reads and types are made from this list.
import type { BaseUrl } from '../entry/baseUrl.ts';
import type { Trouble } from '../wire/trouble.ts';

export const states = [
  'open',
  'sending',
  'unknown',
  'accepted',
  'rejected',
  'held',
  'resolved',
  'declined',
] as const;

export const verdicts = ['accepted', 'rejected', 'unsent', 'limited', 'unknown', 'held'] as const;

/** A column in SQL, and how the code reads its cells. */
type TableColumn<Value> = {
  readonly name: string;
  readonly sql: string;
  readonly read: (cell: unknown) => Value;
};

export type Columns = Readonly<Record<string, TableColumn<unknown>>>;

/** A row as the code has it. */
export type Of<Table extends Columns> = {
  readonly [Field in keyof Table]: ReturnType<Table[Field]['read']>;
};

function column<Value>(
  sql: string,
  read = (cell: unknown) => (cell ?? undefined) as Value,
): TableColumn<Value> {
  return { name: sql.slice(0, sql.indexOf(' ')), sql, read };
}

const flag = (name: string): TableColumn<boolean> =>
  column(`${name} INTEGER NOT NULL DEFAULT 0 CHECK (${name} IN (0, 1))`, Boolean);

const among = (name: string, values: readonly string[]): string =>
  `CHECK (${name} IN (${values.map((one) => `'${one}'`).join(', ')}))`;

const oneOf = <const Value extends string>(name: string, values: readonly Value[]): TableColumn<Value> =>
  column(`${name} TEXT NOT NULL ${among(name, values)}`);

const noneOrOneOf = <const Value extends string>(name: string, values: readonly Value[]) =>
  column<Value | undefined>(`${name} TEXT ${among(name, values)}`);

const kind = oneOf('kind', ['message', 'transfer']);

/** The columns of an entry that never change. */
export const keptColumns = {
  id: column<string>('id TEXT NOT NULL UNIQUE'),
  kind,
  /** The URL used for identity and key: all loopback names count as one. */
  baseUrl: column<BaseUrl>('base_url TEXT NOT NULL'),
  namedBy: noneOrOneOf('named_by', ['once', 'run', 'key', 'row']),
  name: column<string | undefined>('name TEXT'),
  /** The `id` of a batch's row, if the row has one. */
  rowId: column<string | undefined>('row_id TEXT'),
  /** Columns of its row that are never sent, as a JSON object. They stay as they were when the entry began. */
  columns: column<string | undefined>('columns TEXT'),
  key: column<string>(`key TEXT NOT NULL CHECK (key <> '')`),
  identity: column<string>('identity TEXT NOT NULL'),
  createdAtMs: column<number>('created_at INTEGER NOT NULL'),
};

/** The columns of the request. */
export const bodyColumns = {
  bot: column<string>('bot TEXT NOT NULL'),
  /** The exact bytes that are sent, idempotency key included. */
  body: column<Uint8Array>('body BLOB NOT NULL'),
  fingerprint: column<string>('fingerprint TEXT NOT NULL'),
  payment: column<string | undefined>('payment TEXT'),
};

/** The payment, for sums; `nanos` are billionths. No amount if it is too large or has more than nine decimal places. */
export const paidColumns = {
  asset: column<string | undefined>('asset TEXT'),
  whole: column<number | undefined>('whole INTEGER'),
  nanos: column<number | undefined>('nanos INTEGER'),
};

/** The columns that change as the entry goes on. */
export const standingColumns = {
  state: oneOf('state', states),
  wasInDoubt: flag('was_in_doubt'),
  /**
   * When the first attempt that may have taken effect began, or when an operator last said to send it again. Undefined
   * if it is not in doubt.
   */
  inDoubtSinceMs: column<number | undefined>('in_doubt_since INTEGER'),
  /** Salted hash of the token of the latest attempt. */
  tokenHash: column<string | undefined>('token_hash TEXT'),
  owner: column<string | undefined>('owner TEXT'),
  heldReason: column<string | undefined>('why TEXT'),
  resolvedAs: noneOrOneOf('resolved_as', ['happened', 'did-not-happen']),
  attempts: column<number>('attempts INTEGER NOT NULL DEFAULT 0'),
  updatedAtMs: column<number>('updated_at INTEGER NOT NULL'),
  /** When a command first reported the outcome to its caller. Kept for unnamed entries alone. */
  reportedAtMs: column<number | undefined>('reported_at INTEGER'),
};

export const entryColumns = { ...keptColumns, ...bodyColumns, ...standingColumns };

/** When its latest attempt began. For payments that count, the code reads it as `countsAtMs`. */
export const triedColumn = { triedAtMs: column<number | undefined>('tried_at INTEGER') };

/** How an attempt ended. */
export const endColumns = {
  endedAtMs: column<number | undefined>('ended_at INTEGER'),
  phase: noneOrOneOf('phase', ['not-sent', 'sent', 'replied', 'process-died']),
  verdict: noneOrOneOf('verdict', verdicts),
  status: column<number | undefined>('status INTEGER'),
  requestId: column<string | undefined>('request_id TEXT'),
  trouble: column('trouble TEXT', (cell) => {
    const kept = fromJson(cell);
    return 'is' in kept ? (kept as Trouble) : undefined;
  }),
  retryAfterMs: column<number | undefined>('retry_after INTEGER'),
  duplicate: flag('duplicate'),
  /** The reply's body as it came, up to a size limit. */
  reply: column<Uint8Array | undefined>('reply BLOB'),
  headers: column('headers TEXT', (cell) => fromJson(cell) as Readonly<Record<string, string>>),
};

/** Empty if it is damaged: the database does not detect a flipped bit. The rest of the attempt matters more. */
function fromJson(cell: unknown): object {
  try {
    return Object(JSON.parse(String(cell)));
  } catch {
    return {};
  }
}

export const attemptColumns = {
  number: column<number>('number INTEGER NOT NULL CHECK (number > 0)'),
  startedAtMs: column<number>('started_at INTEGER NOT NULL'),
  ...endColumns,
};

export const decisionColumns = {
  kind: oneOf('kind', ['happened', 'did-not-happen', 'send-again', 'proposed', 'approved', 'declined']),
  who: column<string>('who TEXT NOT NULL'),
  atMs: column<number>('at INTEGER NOT NULL'),
  reason: column<string>('reason TEXT NOT NULL'),
  signature: column<string | undefined>('signature TEXT'),
  /** The body that the decision is about. It does not apply to any other body. */
  fingerprint: column<string | undefined>('fingerprint TEXT'),
};

/** The database role that decided, according to the server. A journal in a file has no roles. */
export const roleColumn = { role: column<string | undefined>('role TEXT') };

/** Set on a proposal that another role must approve. */
export const needsColumn = { needs: noneOrOneOf('needs', ['another-role']) };

/** A transfer id of one service, or a signature of one service or chain, belongs to one entry. */
export const receiptColumns = {
  /** The service (its base URL) or the chain that gave it. */
  origin: column<string>('origin TEXT NOT NULL'),
  what: oneOf('what', ['transfer-id', 'signature']),
  value: column<string>(`value TEXT NOT NULL CHECK (value <> '')`),
};

export const observationColumns = {
  verdict: oneOf('verdict', ['proven', 'likely', 'contradicted', 'undecided']),
  atMs: column<number>('at INTEGER NOT NULL'),
  signature: column<string | undefined>('signature TEXT'),
  /** The genesis hash of the chain. Always set, like the signature, if something is proven. */
  genesis: column<string | undefined>('genesis TEXT'),
  /** What was seen, as JSON. */
  facts: column<string>('facts TEXT NOT NULL'),
};

/** Why a journal begins no attempt. A move is final; any other closing can be ended. */
export const closingColumns = {
  kind: oneOf('kind', ['moved', 'backup', 'person']),
  who: column<string>('who TEXT NOT NULL'),
  atMs: column<number>('at INTEGER NOT NULL'),
  /** The reason in words. For a move, the new place. */
  reason: column<string>('reason TEXT NOT NULL'),
  endedAtMs: column<number | undefined>('ended_at INTEGER'),
  endedBy: column<string | undefined>('ended_by TEXT'),
};

export const batchColumns = {
  name: column<string>('name TEXT NOT NULL'),
  baseUrl: keptColumns.baseUrl,
  kind,
  /** How many rows its file had when its latest run began. */
  rows: column<number>('rows INTEGER NOT NULL CHECK (rows >= 0)'),
  /** How many of them were not valid. */
  invalid: column<number>('invalid INTEGER NOT NULL'),
};

export const namesOf = (columns: Columns): string[] => Object.values(columns).map(({ name }) => name);

/** The columns of an INSERT and their values, by the names of the fields. */
export function intoColumns(columns: Columns, entry?: string): string {
  const [names, values] = [namesOf(columns), Object.keys(columns).map((field) => `:${field}`)];
  if (entry !== undefined) return `(entry, ${names}) VALUES (${entry}, ${values})`;
  return `(${names}) VALUES (${values})`;
}

export const setColumns = (columns: Columns): string =>
  Object.entries(columns)
    .map(([field, { name }]) => `${name} = :${field}`)
    .join(', ');

/** A loop costs an entry 1 µs. Spreading an object with so many fields costs up to 50. */
export function reading<Table extends Columns>(columns: Table) {
  const fields = Object.entries(columns);
  return (row: Readonly<Record<string, unknown>>): Of<Table> => {
    const made: Record<string, unknown> = {};
    for (const [field, { name, read }] of fields) made[field] = read(row[name]);
    return made as Of<Table>;
  };
}
