import type { DiskTrouble } from '../machine/disk.ts';
import { failing, failureWith, interrupted } from '../once/failures.ts';
import {
  acceptingLoss,
  beforeAccepting,
  type Edition,
  type Loss,
  lossSentence,
  missingMayBeSent,
  otherVersion,
} from '../once/journal/failures.ts';
import { troubleInWords } from '../once/phrases.ts';
import type { Suggestion } from '../once/sentence.ts';

// A URL may contain a password, and a misplaced character can put it into any part, so no field has any of them.
// `place` is the journal's URL without its password.

const example = 'Write it like postgres://bots@db.example.com/ledger?sslmode=verify-full.';
const spelling =
  'In a user name or password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25.';

const urlFaults = {
  'not-postgres': ['is a URL, but not a postgres:// one', example],
  'password-in-option': [
    'contains a password, which every user of this machine can see (in ps)',
    'Put the URL into BOTCTL_JOURNAL instead, or leave the password out and keep it in PGPASSWORD or in ~/.pgpass.',
  ],
  unreadable: ['cannot be read as a URL', `${example} ${spelling}`],
  schema: [
    'names a schema that cannot be one',
    'Use 1 to 63 of a to z, 0 to 9 and _, with a letter or _ first; names that begin with pg_ are reserved.',
  ],
} as const;

export type ServerUrlFault = keyof typeof urlFaults;

const serverTroubles = {
  /** No answer came in time, with a connection or without one. */
  silent: 'its server did not answer in time',
  'out-of-reach': 'its host did not answer in time',
  'no-reason': 'it gave no reason',
  'connection-lost': 'the connection was lost',
  'commit-undone': 'the server rolled a commit back',
  'commit-unheard': 'the server has not said how a commit ended',
} as const;

/** Why a server does not answer as it must. `said`: the words of the server, the network or the driver. */
export type ServerTrouble =
  | { readonly is: 'said'; readonly text: string }
  | { readonly is: keyof typeof serverTroubles };

/** Thrown when no other error says what went wrong. */
export class ServerTroubleError extends Error {
  readonly trouble: ServerTrouble;

  constructor(trouble: ServerTrouble) {
    super(trouble.is);
    this.trouble = trouble;
  }
}

/** Part of a sentence. */
function serverTrouble(trouble: ServerTrouble): string {
  return trouble.is === 'said' ? trouble.text : serverTroubles[trouble.is];
}

/** What the server refuses: the user, the database, or an action. */
const denials = {
  user: [
    keptOut,
    'Check the user in the URL, the password (in BOTCTL_JOURNAL, PGPASSWORD or ~/.pgpass), and whether the server accepts this user from this machine (its pg_hba.conf).',
  ],
  database: [
    keptOut,
    'Check the database in the URL. If it is right, have the server’s administrator create it first.',
  ],
  rights: [
    (place: string, role: string) => `The role ${role} has too few rights in the journal ${place}`,
    'The owner of the journal’s tables must grant them. Run as the owner, journal migrate prints the SQL.',
  ],
} as const;

function keptOut(place: string): string {
  return `The server of the journal ${place} refused botctl`;
}

export type Denial = keyof typeof denials;

/** `url` is the journal's URL for its owner; undefined if the owner runs this command. */
function migrating(url: string | undefined): readonly Suggestion[] {
  return [['journal', 'migrate', ...(url === undefined ? [] : ['--journal', url])]];
}

type AtPlace = { place: string };
type Troubled = AtPlace & { trouble: ServerTrouble };
type OfFile = { path: string; trouble: DiskTrouble };
type TooOld = AtPlace & { version: number; least: number };

/** The failures of a journal on a server. */
const kinds = {
  'bad-url': ({ source, fault }: { source: string; fault: ServerUrlFault }) => {
    const [problem, hint] = urlFaults[fault];
    return failureWith('usage', { hint })`${source} ${problem}`;
  },
  'certificate-unreadable': ({ path, trouble }: OfFile) => failureWith('journal-unusable')`
    ${path}, which the connection to the journal needs, cannot be read: ${troubleInWords(trouble)}
    Check sslrootcert, sslcert and sslkey in the URL.`,
  interrupted: () => interrupted('before the journal answered'),
  unreachable: ({ place, trouble }: Troubled) => failureWith('journal-unreachable')`
    The journal ${place} cannot be reached: ${serverTrouble(trouble)}
    Run the same command again when the server answers. To see how botctl connects to it:
    $ doctor`,
  'no-tls': ({ place }: AtPlace) => failureWith('journal-unusable')`
    The server of the journal ${place} does not offer TLS, and sslmode requires it
    Have TLS turned on there (ssl = on). Use sslmode=disable only if the whole network in between is yours.`,
  'certificate-refused': ({ place, trouble }: Troubled) => failureWith('journal-unusable')`
    The server of the journal ${place} did not prove its identity: ${serverTrouble(trouble)}
    Use the host name in its certificate. If your own authority signed it, give that authority’s certificate with sslrootcert in the URL.`,
  'password-missing': ({ place }: AtPlace) => failureWith('journal-unusable')`
    The server of the journal ${place} asks for a password
    Put it into PGPASSWORD, into ~/.pgpass (readable only by you), or into the URL in BOTCTL_JOURNAL.`,
  denied: ({
    place,
    denial,
    role,
    trouble,
  }: AtPlace & { denial: Denial; role: string; trouble: ServerTrouble }) => failureWith('journal-denied')`
    ${denials[denial][0](place, role)}: ${serverTrouble(trouble)}
    ${denials[denial][1]}`,
  'through-pooler': ({ place }: AtPlace) => failureWith('journal-schema')`
    A pooler in front of the journal ${place} gives each transaction another connection
    Set it to session mode (PgBouncer: pool_mode = session), or name the server itself.`,
  'server-too-old': ({ place, version, least }: TooOld) => failureWith('journal-schema')`
    The server of the journal ${place} is PostgreSQL ${version}, and botctl needs ${least} or newer
    Use a newer server.`,
  'not-utf8': ({ place, encoding }: AtPlace & { encoding: string }) => failureWith('journal-schema')`
    The database of the journal ${place} is encoded in ${encoding}, which cannot represent every name and text
    Use a database in UTF8.`,
  'standby-only': ({ place }: AtPlace) => failureWith('journal-unreachable')`
    The server of the journal ${place} is a standby, which can only be read
    Name the server that accepts writes, then run the same command again.`,
  'role-reads-only': ({ place }: AtPlace) => failureWith('journal-not-writable')`
    The server of the journal ${place} lets this role only read: the setting default_transaction_read_only is on
    Have it turned off for the role that sends (ALTER ROLE … SET default_transaction_read_only = off), or use another role.`,
  'not-durable': ({ place, setting }: AtPlace & { setting: string }) => failureWith('journal-not-durable')`
    The server of the journal ${place} may lose what it has acknowledged: its setting ${setting} is off
    Have the setting turned on, then run the same command again. The doctor says what else you can do:
    $ doctor`,
  'not-on-standby': ({ place }: AtPlace) => failureWith('journal-not-durable')`
    The server of the journal ${place} waits for a standby to store each record, and no standby answered
    Run the same command again when the standby answers.`,
  busy: ({ place }: AtPlace) => failureWith('journal-busy')`
    The journal ${place} is kept busy: another process is blocking this command
    Run the same command again in a moment: the server soon drops a process that is gone.`,
  'disk-full': ({ place }: AtPlace) => failureWith('journal-not-writable')`
    The disk of the journal’s server is full (${place})
    Have space freed on it, then run the same command again.`,
  /** `ownersUrl` is for the role that may create or change the schema; undefined if this role may. */
  'schema-missing': ({
    place,
    schema,
    ownersUrl,
  }: AtPlace & { schema: string; ownersUrl: string | undefined }) => failureWith('journal-schema', {
    next: migrating(ownersUrl),
  })`
    There is no journal in the schema ${schema} of ${place}
    Check the schema and the database in the URL. If the journal belongs there, create it as the owner of the database:`,
  'other-version': ({ place, ...versions }: AtPlace & Edition) =>
    otherVersion(`The journal ${place}`, versions, 'Use the botctl that made it, on this machine too.'),
  'not-empty': ({ place }: AtPlace) => failureWith('not-allowed-now')`
    The journal ${place} has entries, and a file can only be imported into one without any
    Keep using the file, or import it into a schema of its own: name that with ?schema= in the URL.`,
  'went-on': ({ place }: AtPlace) => failureWith('not-allowed-now')`
    The file was imported into ${place} earlier, and the file has been used since: ${place} lacks what was done with it
    Import it into a schema of its own: name that with ?schema= in the URL.`,
  'schema-foreign': ({ place, schema }: AtPlace & { schema: string }) => failureWith('journal-schema')`
    The schema ${schema} of ${place} has a table meta that does not belong to a journal
    Name another schema in the URL, with ?schema=.`,
  'may-only-look': ({ place }: AtPlace) => failureWith(
    'journal-schema',
  )`This role may only read the journal ${place}
    Use a role with the rights that journal migrate prints.`,
  'may-not-open': ({ place, owner }: AtPlace & { owner: string | undefined }) => failureWith('usage')`
    This role may close the journal ${place}, but may not open it
    Connect as ${owner === undefined ? 'the owner of the schema' : `the role ${owner}, which owns the schema`}.`,
  'may-not-migrate': ({ place, schema }: AtPlace & { schema: string }) => failureWith('journal-schema')`
    This role may not create or change the schema ${schema} of ${place}
    Connect as the owner of the database or the schema. A role that runs botctl needs fewer rights: journal migrate prints them.`,
  lost: ({ place, loss }: AtPlace & { loss: Loss }) => failureWith('journal-lost', { next: acceptingLoss })`
    ${lossSentence(place, loss)}. ${missingMayBeSent}
    If you can, bring back the server as it was. Otherwise, ${beforeAccepting}`,
  'rules-refused': ({ place, trouble }: Troubled) => failureWith('journal-damaged')`
    The journal ${place} refused to record something: ${serverTrouble(trouble)}
    It contains something that botctl did not write. Check the wallet and the conversation before you send anything again.`,
  /** Other processes have declared this one dead. */
  fenced: ({ place }: AtPlace) => failureWith('fenced')`
    This process was silent for too long, and the journal ${place} counts it as ended: others may continue its work
    Run the same command again: it finds out what was done in the meantime.`,
};

export const sharedFailure = failing('shared', kinds);

export type SharedKind = keyof typeof kinds;
