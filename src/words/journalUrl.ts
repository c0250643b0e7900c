import type { Origin, SettingFault, SharedFacts, UrlFault } from '../journal/postgres/facts.ts';
import { listed } from './list.ts';
import { unseenWords } from './naming.ts';
import type { Sentence, Table } from './told.ts';

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

/** Which setting it is, as the subject of a sentence. */
function settingIn(origin: Origin): string {
  if ('variable' in origin) return origin.variable;
  return 'part' in origin
    ? `The ${origin.part} in ${origin.source}`
    : `${origin.parameter} in ${origin.source}`;
}

function wrong(what: string, [problem, hint]: readonly [says: string, hint: string]): Sentence {
  return { message: `${what} ${problem}`, hint };
}

/** What is wrong with where a shared journal is said to be. */
export const urlRows = {
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
