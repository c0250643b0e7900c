import { listed } from './list.ts';
import { Told } from './told.ts';

// What is wrong with where a shared journal is said to be. A URL may hold a password, and a character in the wrong
// place makes any part of it one: nothing of it is echoed but the names of its parameters.

const example = 'Write it like postgres://bots@db.example.com/ledger?sslmode=verify-full.';
const spelling =
  'Outside its own place, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25: most passwords are safe only so.';

const faults = {
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
} as const;

type UrlFault = keyof typeof faults;

function wrong(what: string, hint: string): Told {
  return new Told('usage', what, { hint });
}

/** `name` is where the URL came from: the option or the variable. */
export function badJournalUrl(name: string, fault: UrlFault): Told {
  const [problem, hint] = faults[fault];
  return wrong(`${name} ${problem}`, hint);
}

export function blankInUrl(name: string, position: number): Told {
  return wrong(
    `${name} has a blank, a line break or a control character at position ${position}`,
    'Take it out, or write it in percent-encoding (a blank is %20).',
  );
}

/** Undefined is one whose name is not repeated. */
export function unknownParameters(
  name: string,
  parameters: readonly (string | undefined)[],
  known: readonly string[],
): Told {
  const named = parameters.filter((parameter) => parameter !== undefined);
  const which =
    named.length === 0
      ? 'a parameter'
      : `the parameter${named.length === 1 ? '' : 's'} ${listed([...new Set(named)])}`;
  return wrong(`${name} has ${which}, which botctl does not take`, `It takes ${listed(known)}.`);
}

export function repeatedParameter(name: string, parameter: string): Told {
  return wrong(`${name} has the parameter ${parameter} twice`, 'Leave one of them.');
}

export function unsupportedVariable(variable: string): Told {
  return wrong(
    `${variable} is set, and botctl does not follow it: it could mean another server or other settings than the URL`,
    `Unset ${variable} for botctl, and write what it says into the URL.`,
  );
}

/** Which setting it is, in a sentence. */
export const settingIn = {
  url: (setting: string, name: string) => `The ${setting} in ${name}`,
  parameter: (parameter: string, name: string) => `${parameter} in ${name}`,
} as const;

const settingFaults = {
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
} as const;

type SettingFault = keyof typeof settingFaults;

/** `origin` says which setting it is, and where it stands. */
export function badSetting(origin: string, fault: SettingFault): Told {
  const [problem, hint] = settingFaults[fault];
  return wrong(`${origin} ${problem}`, hint);
}

/** A name in which something cannot be seen: `problem` is part of a sentence. */
export function unseenInSetting(origin: string, problem: string): Told {
  return wrong(`${origin} ${problem}`, 'Type it again, in plain characters.');
}

export function channelNeedsTls(): Told {
  return wrong(
    'channel_binding=require needs TLS, and this connection has none',
    'Use sslmode=verify-full, or leave channel_binding out.',
  );
}

/** The server, or who stands between, would take a password that is bound to nothing. */
export function noChannelBinding(place: string): Told {
  return new Told(
    'journal-unusable',
    `The server of the journal ${place} does not bind the password to its certificate, as channel_binding=require asks`,
    {
      hint: 'Somebody may stand in between. With a proxy of your own that speaks TLS, leave channel_binding out.',
    },
  );
}

export function notAsDemanded(target: string): string {
  return `the server is not ${target}, as target_session_attrs asks`;
}

export const nullInPassword = 'has a null character, which no password of PostgreSQL can have';

export function certificateAlone(missing: 'sslcert' | 'sslkey'): Told {
  const [one, other] = missing === 'sslkey' ? ['certificate', 'sslkey'] : ['key', 'sslcert'];
  return wrong(`The journal’s ${one} is given without ${other}`, 'Give both, or neither.');
}
