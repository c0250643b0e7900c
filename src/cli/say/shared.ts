import type { Denial, ServerTrouble, SharedFacts, UrlFault } from '../../postgres/facts.ts';
import { lossSentence, otherVersion } from './journal.ts';
import { beforeAccepting, missingMayBeSent } from './open.ts';
import { type Suggestion, troubleInWords } from './phrases.ts';
import { type Sentence, says, type Table, whenReady } from './told.ts';

const example = 'Write it like postgres://bots@db.example.com/ledger?sslmode=verify-full.';
const spelling =
  'In a user name or password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25.';

const urlFaults: Readonly<Record<UrlFault, readonly [says: string, hint: string]>> = {
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
};

const serverTroubles: Readonly<Record<Exclude<ServerTrouble['is'], 'said'>, string>> = {
  silent: 'its server did not answer in time',
  'out-of-reach': 'its host did not answer in time',
  'no-reason': 'it gave no reason',
  'connection-lost': 'the connection was lost',
  'commit-undone': 'the server rolled a commit back',
  'commit-unheard': 'the server has not said how a commit ended',
};

/** Part of a sentence. */
function serverTrouble(trouble: ServerTrouble): string {
  return trouble.is === 'said' ? trouble.text : serverTroubles[trouble.is];
}

const useWhatMigratePrints = { hint: 'Use a role with the rights that journal migrate prints.' } as const;
const theDoctorSays = { next: [['doctor']] } as const;

const keptOut = (place: string): string => `The server of the journal ${place} refused botctl`;

const denials: Readonly<Record<Denial, (place: string, role: string) => Sentence>> = {
  user: (place) => ({
    message: keptOut(place),
    hint: 'Check the user in the URL, the password (in BOTCTL_JOURNAL, PGPASSWORD or ~/.pgpass), and whether the server accepts this user from this machine (its pg_hba.conf).',
  }),
  database: (place) => ({
    message: keptOut(place),
    hint: 'Check the database in the URL. If it is right, have the server’s administrator create it first.',
  }),
  rights: (place, role) => says`The role ${role} has too few rights in the journal ${place}
    The owner of the journal’s tables must grant them. Run as the owner, journal migrate prints the SQL.`,
};

/** `url` leads the journal's owner to it; undefined if the owner runs this command. */
function migrating(url: string | undefined): readonly Suggestion[] {
  return [['journal', 'migrate', ...(url === undefined ? [] : ['--journal', url])]];
}

export const sharedTable: Table<SharedFacts> = {
  'bad-url': ({ source, fault }) => {
    const [problem, hint] = urlFaults[fault];
    return { message: `${source} ${problem}`, hint };
  },
  'certificate-unreadable': ({ path, trouble }) => says`
    ${path}, which the connection to the journal needs, cannot be read: ${troubleInWords(trouble)}
    Check sslrootcert, sslcert and sslkey in the URL.`,

  interrupted: () => says`Interrupted before the journal answered
    ${whenReady}`,
  unreachable: ({ place, trouble }) => ({
    message: `The journal ${place} cannot be reached: ${serverTrouble(trouble)}`,
    hint: 'Run the same command again when the server answers. To see how botctl connects to it:',
    ...theDoctorSays,
  }),
  'no-tls': ({ place }) => says`The server of the journal ${place} does not offer TLS, and sslmode requires it
    Have TLS turned on there (ssl = on). Use sslmode=disable only if the whole network in between is yours.`,
  'certificate-refused': ({ place, trouble }) => says`
    The server of the journal ${place} did not prove its identity: ${serverTrouble(trouble)}
    Use the host name in its certificate. If your own authority signed it, give that authority’s certificate with sslrootcert in the URL.`,
  'password-missing': ({ place }) => says`The server of the journal ${place} asks for a password
    Put it into PGPASSWORD, into ~/.pgpass (readable only by you), or into the URL in BOTCTL_JOURNAL.`,
  denied: ({ place, denial, role, trouble }) => {
    const { message, ...rest } = denials[denial](place, role);
    return { message: `${message}: ${serverTrouble(trouble)}`, ...rest };
  },
  'through-pooler': ({ place }) => says`
    A pooler in front of the journal ${place} gives each transaction another connection
    Set it to session mode (PgBouncer: pool_mode = session), or name the server itself.`,
  'server-too-old': ({ place, version, least }) => says`
    The server of the journal ${place} is PostgreSQL ${version}, and botctl needs ${least} or newer
    Use a newer server.`,
  'not-utf8': ({ place, encoding }) => says`
    The database of the journal ${place} is encoded in ${encoding}, which cannot hold every name and text
    Use a database in UTF8.`,
  'standby-only': ({ place }) => says`The server of the journal ${place} is a standby, which can only be read
    Name the server that accepts writes, then run the same command again.`,
  'unchanged-on-standby': ({ place }) => says`The server of the journal ${place} is a standby
    Name the server that accepts writes, then run the same command again.`,
  'role-reads-only': ({ place }) => says`
    The server of the journal ${place} lets this role only read: the setting default_transaction_read_only is on
    Have it turned off for the role that sends (ALTER ROLE … SET default_transaction_read_only = off), or use another role.`,
  'not-durable': ({ place, setting }) => ({
    message: `The server of the journal ${place} may lose what it has acknowledged: its setting ${setting} is off`,
    hint: 'Have the setting turned on, then run the same command again. The doctor says what else you can do:',
    ...theDoctorSays,
  }),
  'not-on-standby': ({ place }) => says`
    The server of the journal ${place} waits for a standby to store each record, and no standby answered
    Run the same command again when the standby answers.`,
  busy: ({ place }) => says`The journal ${place} is kept busy: another process is blocking this command
    Run the same command again in a moment: the server soon drops a process that is gone.`,
  'disk-full': ({ place }) => says`The disk of the journal’s server is full (${place})
    Have space freed on it, then run the same command again.`,

  'schema-missing': ({ place, schema, ownersUrl }) => ({
    message: `There is no journal in the schema ${schema} of ${place}`,
    hint: 'Check the schema and the database in the URL. If the journal belongs there, create it as the owner of the database:',
    next: migrating(ownersUrl),
  }),
  'other-version': ({ place, version, known }) =>
    otherVersion(`The journal ${place}`, version, known, 'Use the botctl that made it, on this machine too.'),
  'not-empty': ({
    place,
  }) => says`The journal ${place} has entries, and a file can only be imported into one without any
    Keep using the file, or import it into a schema of its own: name that with ?schema= in the URL.`,
  'schema-foreign': ({ place, schema }) => says`
    The schema ${schema} of ${place} has a table meta that does not belong to a journal
    Name another schema in the URL, with ?schema=.`,
  'may-only-look': ({ place }) => ({
    message: `This role may only read the journal ${place}`,
    ...useWhatMigratePrints,
  }),
  'may-not-migrate': ({ place, schema }) => says`
    This role may not create or change the schema ${schema} of ${place}
    Connect as the owner of the database or the schema. A role that runs botctl needs less: journal migrate prints what.`,

  lost: ({ place, loss }) => {
    const lost = `${lossSentence(place, loss)}.`;
    return {
      message: `${lost} ${missingMayBeSent}`,
      hint: `If you can, bring back the server as it was. Otherwise, ${beforeAccepting}`,
      next: [['journal', 'accept-loss']],
      lost,
    };
  },
  'rules-refused': ({ place, trouble }) => says`
    The journal ${place} refused to record something: ${serverTrouble(trouble)}
    It contains something that botctl did not write. Check the wallet and the conversation before you send anything again.`,
  fenced: ({ place }) => says`
    This process was silent for too long, and the journal ${place} counts it as ended: others may continue its work
    Run the same command again: it finds out what was done in the meantime.`,
};
