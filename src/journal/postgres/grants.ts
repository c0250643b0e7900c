import { invisibleIn } from '../../intent/invisible.ts';
import { sharedFailure } from './facts.ts';
import { inSchema, quotedName } from './migrations.ts';

/** Who runs commands that send, or who only looks. */
export type GrantedUse = 'run' | 'look';

/** Of what stands, what may change. All else is written once. */
const changing: Readonly<Record<string, readonly string[]>> = {
  standing: [
    ...['state', 'owner', 'why', 'resolved_as', 'tainted', 'may_have_landed_at', 'token_hash', 'attempts'],
    ...['body_version', 'payment', 'updated_at', 'reported_at', 'left_behind'],
  ],
  attempts: [
    ...['ended_at', 'phase', 'verdict', 'status', 'request_id', 'trouble', 'retry_after', 'duplicate'],
    ...['verified', 'reply', 'headers'],
  ],
  owners: ['renewed_at', 'ended_at', 'asked_at'],
  spending: ['summed'],
  spent: ['units'],
  batches: ['digest', 'rows', 'round', 'next_ordinal'],
  shares: ['owner', 'ended_at'],
};

const growing = [
  ...['servers', 'owners', 'intents', 'rewrites', 'standing', 'attempts', 'decisions', 'receipts', 'losses'],
  'observations',
  'services',
  ...['spending', 'spent', 'paid'],
  ...['batches', 'shares'],
];

/** The SQL that gives a role what it needs of the journal and takes everything else from it. */
export function grantsSql(schema: string, role: string, use: GrantedUse): string {
  const to = quotedName(role);
  const lines = [
    'BEGIN;',
    `REVOKE ALL ON SCHEMA @schema FROM ${to};`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA @schema FROM ${to};`,
    `GRANT USAGE ON SCHEMA @schema TO ${to};`,
    ...(use === 'run' ? runnerGrants(to) : auditorGrants(to)),
    'COMMIT;',
  ];
  return lines.map((line) => `${inSchema(schema, line)}\n`).join('');
}

function runnerGrants(to: string): string[] {
  return [
    `GRANT SELECT ON ALL TABLES IN SCHEMA @schema TO ${to};`,
    `GRANT INSERT ON ${listed(growing)} TO ${to};`,
    ...Object.entries(changing).map(
      ([table, columns]) => `GRANT UPDATE (${columns.join(', ')}) ON @schema.${table} TO ${to};`,
    ),
  ];
}

/** With the salt, who looks could try tokens against their hashes. */
function auditorGrants(to: string): string[] {
  return [
    `GRANT SELECT ON ${listed(['meta', 'intents_now', 'payments', 'policies', 'counting', ...growing])} TO ${to};`,
  ];
}

function listed(tables: readonly string[]): string {
  return tables.map((table) => `@schema.${table}`).join(', ');
}

/** Refuses what is no role's name. `public` would be everybody. */
export function refuseRole(role: string): void {
  const unseen = invisibleIn(role);
  if (unseen !== undefined) throw sharedFailure('unseen-in-role', { unseen });
  if (role === '' || Buffer.byteLength(role) > longestName)
    throw sharedFailure('role-length', { mostBytes: longestName });
  if (/^(?:public|none|pg_.*)$/u.test(role)) throw sharedFailure('role-reserved', { role });
}

// PostgreSQL cuts longer names.
const longestName = 63;
