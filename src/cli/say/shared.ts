import type { PassFileIgnored } from '../../postgres/address.ts';
import type {
  Denial,
  Origin,
  ServerTrouble,
  SettingFault,
  SharedFacts,
  UrlFault,
} from '../../postgres/facts.ts';
import { unseenWords } from './intent.ts';
import { madeBeforeRelease } from './open.ts';
import { listed, type Suggestion, troubleInWords } from './phrases.ts';
import { type Sentence, type Table, whenReady } from './told.ts';
import { hasLost } from './upkeep.ts';

const example = 'Write it like postgres://bots@db.example.com/ledger?sslmode=verify-full.';
const spelling =
  'Outside its own place, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25: most passwords are safe only so.';

const urlFaults: Readonly<Record<UrlFault, readonly [says: string, hint: string]>> = {
  'not-postgres': ['is a URL, but not a postgres:// one', example],
  'several-hosts': ['names several hosts', 'Name one: a journal has one server that is written to.'],
  'password-in-option': [
    'holds a password, which every user of this machine can see (in ps)',
    'Put the URL into BOTCTL_JOURNAL instead, or leave the password out and keep it in PGPASSWORD or in ~/.pgpass.',
  ],
  characters: ['has a character out of its place (one of @ / ? #)', spelling],
  percent: ['has a % that is not followed by two hexadecimal digits of UTF-8', spelling],
  parameter: ['has a parameter that is empty or has no =', example],
  path: [
    'has more than one name after its host',
    'Only the database’s name stands there: postgres://HOST/DATABASE.',
  ],
};

const settingFaults: Readonly<Record<SettingFault, readonly [says: string, hint: string]>> = {
  'several-hosts': urlFaults['several-hosts'],
  host: [
    'is no host name, IP address or folder',
    'An IPv6 address stands in brackets: postgres://[fd00::1]/ledger.',
  ],
  folder: [
    'is not the folder of a Unix socket',
    'Write its whole path: postgres:///ledger?host=/run/postgresql. The host of a server stands before the first single slash.',
  ],
  'two-hosts': ['names a second host beside the one before the database', 'Leave one of them.'],
  'two-ports': ['names a second port beside the one of the host', 'Leave one of them.'],
  channel_binding: ['is not one that there is', 'Use require, prefer or disable.'],
  target_session_attrs: [
    'is not one that there is',
    'Use read-write, primary, any, read-only, standby or prefer-standby.',
  ],
  keepalives: ['is neither 0 nor 1', 'Without it they are on.'],
  keepalives_idle: ['is not a whole number of seconds', 'Without it the system decides.'],
  options: [
    'is not what leads to a server, as endpoint=NAME does; settings (-c) are not taken: botctl makes its own',
    'Leave it out. A schema is named by schema=NAME.',
  ],
  port: ['is not a whole number from 1 to 65535', 'PostgreSQL listens on 5432, where nobody changed it.'],
  schema: [
    'is not a name for a schema',
    'Use 1 to 63 of a to z, 0 to 9 and _, with a letter or _ first; names that begin with pg_ are PostgreSQL’s own.',
  ],
  seconds: ['is not a whole number of seconds from 1 to 600', 'Without it, connecting may take 10 s.'],
  sslmode: ['is not one that there is', 'Use verify-full; verify-ca, require or disable where you must.'],
  'weak-sslmode': [
    'may silently go on without TLS, and the journal’s server is not this machine',
    'Use verify-full; or disable, where you trust the whole network between.',
  ],
  'needs-root': [
    'needs sslrootcert, the file of your own certificate authority: by a public one, anyone’s certificate would pass',
    'Name the file, or use sslmode=verify-full.',
  ],
  file: ['is not a whole path', 'Write the whole path, from / on: a ~ is not replaced.'],
};

/** The setting, as the subject of a sentence. */
function settingIn(origin: Origin): string {
  if ('variable' in origin) return origin.variable;
  return 'part' in origin
    ? `The ${origin.part} in ${origin.source}`
    : `${origin.parameter} in ${origin.source}`;
}

function wrong(what: string, [problem, hint]: readonly [says: string, hint: string]): Sentence {
  return { message: `${what} ${problem}`, hint };
}

/** What is wrong with the URL of a shared journal. */
const urlRows = {
  'bad-url': ({ source, fault }) => wrong(source, urlFaults[fault]),
  'blank-in-url': ({ source, position }) => ({
    message: `${source} has a blank, a line break or a control character at position ${position}`,
    hint: 'Take it out, or write it in percent-encoding (a blank is %20).',
  }),
  'unknown-parameters': ({ source, parameters, known }) => {
    const named = parameters.filter((parameter) => parameter !== undefined);
    const which =
      named.length === 0
        ? 'a parameter'
        : `the parameter${named.length === 1 ? '' : 's'} ${listed([...new Set(named)])}`;
    return {
      message: `${source} has ${which}, which botctl does not take`,
      hint: `It takes ${listed(known)}.`,
    };
  },
  'repeated-parameter': ({ source, parameter }) => ({
    message: `${source} has the parameter ${parameter} twice`,
    hint: 'Leave one of them.',
  }),
  'unsupported-variable': ({ variable }) => ({
    message: `${variable} is set, and botctl does not follow it: it could mean another server or other settings than the URL`,
    hint: `Unset ${variable} for botctl, and write what it says into the URL.`,
  }),
  'bad-setting': ({ origin, fault }) => wrong(settingIn(origin), settingFaults[fault]),
  'unseen-in-setting': ({ origin, unseen }) => badCharacter(origin, unseenWords(unseen)),
  'null-in-password': ({ origin }) =>
    badCharacter(origin, 'has a null character, which no password of PostgreSQL can have'),
  'channel-needs-tls': () => ({
    message: 'channel_binding=require needs TLS, and this connection has none',
    hint: 'Use sslmode=verify-full, or leave channel_binding out.',
  }),
  'certificate-alone': ({ missing }) => {
    const [one, other] = missing === 'sslkey' ? ['certificate', 'sslkey'] : ['key', 'sslcert'];
    return { message: `The journal’s ${one} is given without ${other}`, hint: 'Give both, or neither.' };
  },
} satisfies Partial<Table<SharedFacts>>;

/** `problem` is part of a sentence. */
function badCharacter(origin: Origin, problem: string): Sentence {
  return wrong(settingIn(origin), [problem, 'Type it again, in plain characters.']);
}

const serverTroubles: Readonly<Record<Exclude<ServerTrouble['is'], 'said' | 'not-as-demanded'>, string>> = {
  silent: 'its server did not answer in time',
  'out-of-reach': 'its host did not answer in time',
  'no-reason': 'no reason was given',
  'connection-lost': 'the connection was lost',
  'commit-undone': 'the server undid a commit',
  'commit-unheard': 'the server has not said how a commit ended',
};

/** Part of a sentence. */
function serverTrouble(trouble: ServerTrouble): string {
  switch (trouble.is) {
    case 'said':
      return trouble.text;
    case 'not-as-demanded':
      return `the server is not ${trouble.demand}, as target_session_attrs asks`;
    default:
      return serverTroubles[trouble.is];
  }
}

function badCertificate(path: string, problem: string): Sentence {
  return {
    message: `${path}, which the connection to the journal needs, ${problem}`,
    hint: 'Check sslrootcert, sslcert and sslkey in the URL, or PGSSLROOTCERT, PGSSLCERT and PGSSLKEY.',
  };
}

/** `problem` follows the option's name. */
function badRole(problem: string): Sentence {
  return { message: `--role ${problem}`, hint: 'Give the name of a role as \\du shows it in psql.' };
}

const connectAsOwner = 'Connect as whoever owns the tables.';
const useWhatGrantsPrints = {
  hint: 'Use a role that was given what this prints:',
  next: [['journal', 'grants']],
} as const;
const theDoctorSays = { next: [['doctor']] } as const;

const keptOut = (place: string): string => `The server of the journal ${place} does not let botctl in`;

const denials: Readonly<Record<Denial, (place: string, role: string) => Sentence>> = {
  user: (place) => ({
    message: keptOut(place),
    hint: 'Check the user in the URL, the password (in BOTCTL_JOURNAL, PGPASSWORD or ~/.pgpass), and that the server takes this user from this machine (its pg_hba.conf).',
  }),
  database: (place) => ({
    message: keptOut(place),
    hint: 'Check the database in the URL. If it is the right one, have it made first, by whoever runs the server.',
  }),
  rights: (place, role) => ({
    message: `The role ${role} lacks rights in the journal ${place}`,
    hint: 'Have them given by whoever owns the journal’s tables. This prints the SQL (with --read-only too, if the role is only to look):',
    next: [['journal', 'grants', `--role=${role}`]],
  }),
};

/** `url` leads the journal's owner to it; undefined if the owner runs this command. */
function migrating(url: string | undefined): readonly Suggestion[] {
  return [['journal', 'migrate', ...(url === undefined ? [] : ['--journal', url])]];
}

export const sharedTable: Table<SharedFacts> = {
  ...urlRows,

  'certificate-unreadable': ({ path, trouble }) =>
    badCertificate(path, `cannot be read: ${troubleInWords(trouble)}`),
  'not-pem': ({ path, wanted }) =>
    badCertificate(path, `holds no ${wanted === 'key' ? 'private key' : 'certificate'} in PEM`),
  'key-open-to-others': ({ path }) => badCertificate(path, 'is a private key that other users can read'),
  'notes-unreadable': ({ path, trouble }) => ({
    message: `What this machine noted of the journal, in ${path}, cannot be read: ${troubleInWords(trouble)}`,
    hint: 'Fix the file or its permissions: without it, botctl cannot tell whether the journal has lost something.',
  }),

  'unseen-in-role': ({ unseen }) => badRole(unseenWords(unseen)),
  'role-length': ({ mostBytes }) => badRole(`is empty, or longer than ${mostBytes} bytes`),
  'role-reserved': ({ role }) => badRole(`is ${role}, which is not a role of its own`),

  interrupted: () => ({ message: 'Interrupted before the journal answered', hint: whenReady }),
  unreachable: ({ place, trouble }) => ({
    message: `The journal ${place} cannot be reached: ${serverTrouble(trouble)}`,
    hint: 'Run the same command again once its server answers. The doctor shows how botctl connects to it.',
    ...theDoctorSays,
  }),
  'no-tls': ({ place }) => ({
    message: `The server of the journal ${place} offers no TLS, and sslmode asks for it`,
    hint: 'Have TLS turned on there (ssl = on). Only where the whole network between is yours, use sslmode=disable.',
  }),
  'certificate-refused': ({ place, trouble }) => ({
    message: `The server of the journal ${place} did not prove that it is the right one: ${serverTrouble(trouble)}`,
    hint: 'Use the host name that its certificate names. If your own authority signed it, give that authority’s certificate with sslrootcert in the URL.',
  }),
  'no-channel-binding': ({ place }) => ({
    message: `The server of the journal ${place} does not bind the password to its certificate, as channel_binding=require asks`,
    hint: 'Somebody may stand in between. With a proxy of your own that speaks TLS, leave channel_binding out.',
  }),
  'password-missing': ({ place }) => ({
    message: `The server of the journal ${place} asks for a password`,
    hint: 'Put it into PGPASSWORD, into ~/.pgpass (readable by you alone), or into the URL in BOTCTL_JOURNAL.',
  }),
  denied: ({ place, denial, role, trouble }) => {
    const { message, ...rest } = denials[denial](place, role);
    return { message: `${message}: ${serverTrouble(trouble)}`, ...rest };
  },
  'through-pooler': ({ place }) => ({
    message: `A pooler stands before the journal ${place} that gives each transaction another connection`,
    hint: 'Have it set to session mode (PgBouncer: pool_mode = session), or name the server itself.',
  }),
  'server-too-old': ({ place, version, least }) => ({
    message: `The server of the journal ${place} is PostgreSQL ${version}, and botctl needs ${least} or newer`,
    hint: 'Use a newer server.',
  }),
  'not-utf8': ({ place, encoding }) => ({
    message: `The database of the journal ${place} is encoded in ${encoding}, which cannot hold every name and text`,
    hint: 'Use a database in UTF8.',
  }),
  'standby-only': ({ place }) => ({
    message: `The server of the journal ${place} is a standby: it shows what it has, and takes nothing`,
    hint: 'Name the server that takes writes, then run the same command again.',
  }),
  'unchanged-on-standby': ({ place }) => ({
    message: `The server of the journal ${place} is a standby`,
    hint: 'Name the server that takes writes: the standby follows it.',
  }),
  'role-reads-only': ({ place }) => ({
    message: `The server of the journal ${place} lets this role only read: its setting default_transaction_read_only is on`,
    hint: 'Have it turned off for the role that sends (ALTER ROLE … SET default_transaction_read_only = off), or use another role.',
  }),
  'not-durable': ({ place, setting }) => ({
    message: `The server of the journal ${place} may lose what it has acknowledged: its setting ${setting} is off`,
    hint: 'Have the setting turned on, then run the same command again. The doctor says what else can be done.',
    ...theDoctorSays,
  }),
  'not-on-standby': ({ place }) => ({
    message: `The server of the journal ${place} waits for a standby to have it too before anything leaves, and no standby answered`,
    hint: 'Run the same command again once the standby answers.',
  }),
  busy: ({ place }) => ({
    message: `The journal ${place} is kept busy: another process holds what this command needs, and does not go on`,
    hint: 'Run the same command again in a moment: the server soon gives up a process that is gone.',
  }),
  'disk-full': ({ place }) => ({
    message: `The disk of the journal’s server is full (${place})`,
    hint: 'Have room made on it, then run the same command again.',
  }),

  'schema-missing': ({ place, schema, ownersUrl }) => ({
    message: `There is no journal in the schema ${schema} of ${place}`,
    hint: 'Check the schema and the database in the URL. If the journal is to be there, make it as whoever owns the database:',
    next: migrating(ownersUrl),
  }),
  'schema-older': ({ place, version, needed, ownersUrl }) => ({
    message: `The journal ${place} has version ${version}, and this botctl needs ${needed}. It was left as it is`,
    hint: 'Commands that send never change it themselves. Bring it up to date as whoever owns it:',
    next: migrating(ownersUrl),
  }),
  'schema-newer': ({ place, version, known }) => ({
    message: `The journal ${place} was made by a newer botctl (journal version ${version}; this one knows ${known}). It was left as it is`,
    hint: 'Use the newer botctl on this machine too.',
  }),
  'schema-unreleased': ({ place }) => ({
    message: madeBeforeRelease(`The journal ${place}`),
    hint: 'Name another schema in the URL, with ?schema=, or rename this one. A new journal knows nothing of what this one sent.',
  }),
  'schema-foreign': ({ place, schema }) => ({
    message: `The schema ${schema} of ${place} has a table meta, but not that of a journal`,
    hint: 'Name another schema in the URL, with ?schema=.',
  }),
  'no-salt': ({ place }) => ({
    message: `This role may look at the journal ${place}, but not send through it or decide`,
    ...useWhatGrantsPrints,
  }),
  'may-only-look': ({ place }) => ({
    message: `This role may only look at the journal ${place}`,
    ...useWhatGrantsPrints,
  }),
  'may-not-migrate': ({ place, schema }) => ({
    message: `This role may not make or change the schema ${schema} of ${place}`,
    hint: 'Connect as whoever owns the database or the schema. What runs botctl needs less than that: journal grants prints it.',
  }),
  'may-not-accept': ({ place }) => ({
    message: `This role may not accept that for the journal ${place}`,
    hint: connectAsOwner,
  }),
  'one-role': ({ place, role }) => ({
    message: `The policy asks for approval by another database role ("approvals": "other"), but ${role === undefined ? 'no role except superusers' : `only the role ${role}`} can approve through the journal ${place}: nothing proposed could be approved`,
    hint: 'Give the people who propose and those who approve different roles, then set the policy. This prints what each role needs:',
    next: [['journal', 'grants']],
  }),

  'may-not-set-policy': ({ place }) => ({
    message: `The role of ${place} may not set the journal’s policy: that is for the role that owns its tables`,
    hint: 'Run the command as that role.',
  }),

  lost: ({ place, loss }) => ({
    message: `${hasLost(place, loss)}. What is missing may have been sent`,
    hint: 'If you can, bring back the server as it was. If you cannot, check the wallet and the conversations first, then accept the loss:',
    next: [['journal', 'accept-loss']],
    lost: hasLost(place, loss),
  }),
  'rules-refused': ({ place, trouble }) => ({
    message: `The journal ${place} refuses what was to be put on record: ${serverTrouble(trouble)}`,
    hint: 'Something in it is not what botctl wrote. Check the wallet and the conversation before anything is sent again.',
  }),
  fenced: ({ place }) => ({
    message: `This process was silent for too long, and the journal ${place} counts it as ended: others may go on with its work`,
    hint: 'Run the same command again: it finds out what was done meanwhile.',
  }),
  'sent-there-now': ({ place }) => ({
    message: `An intent that is copied is being sent by ${place} now, or was changed there meanwhile. The copy is not finished.`,
    hint: 'Run the same command again: it goes on where it stopped.',
  }),
};

function problemOf(ignored: PassFileIgnored): string {
  switch (ignored.is) {
    case 'missing':
      return 'is not there';
    case 'not-a-file':
      return 'is not a plain file';
    case 'open-to-others':
      return 'can be read by other users';
    case 'unreadable':
      return `cannot be read (${troubleInWords(ignored.trouble)})`;
  }
}

export function passFileIgnored(ignored: PassFileIgnored): string {
  const remedy = ignored.is === 'open-to-others' ? ' Make it yours alone, with chmod 600.' : '';
  return `The password file ${ignored.path} ${problemOf(ignored)}: it was not used.${remedy}`;
}
