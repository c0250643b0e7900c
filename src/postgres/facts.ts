import type { DiskTrouble } from '../machine/disk.ts';
import { failing } from '../once/failures.ts';
import type { Unseen } from '../once/intent/facts.ts';
import type { Loss } from '../once/journal/facts.ts';

// A URL may hold a password, and a misplaced character can make any part of it one. So no field holds any of it except
// the names of its parameters. `place` is the journal's URL without its password.

export type UrlFault =
  | 'not-postgres'
  | 'several-hosts'
  | 'password-in-option'
  | 'characters'
  | 'percent'
  | 'server';

/** Where a setting was given: in the URL, which an option or variable holds, or in a variable of its own. */
export type Origin =
  | { readonly part: 'user' | 'password' | 'host' | 'port' | 'database'; readonly source: string }
  | { readonly parameter: string; readonly source: string }
  | { readonly variable: string };

export type SettingFault =
  | 'several-hosts'
  | 'options'
  | 'port'
  | 'schema'
  | 'seconds'
  | 'sslmode'
  | 'weak-sslmode'
  | 'needs-root'
  | 'file';

/** Why a server does not answer as it must. */
export type ServerTrouble =
  /** The words of the server, the network or the driver. */
  | { readonly is: 'said'; readonly text: string }
  /** No answer in time: on a connection that stands, or because there is none. */
  | { readonly is: 'silent' | 'out-of-reach' }
  | { readonly is: 'no-reason' | 'connection-lost' | 'commit-undone' | 'commit-unheard' };

/** Thrown when no other error says what went wrong. */
export class ServerTroubleError extends Error {
  readonly trouble: ServerTrouble;

  constructor(trouble: ServerTrouble) {
    super(trouble.is);
    this.trouble = trouble;
  }
}

/** What the server refuses: the user, the database, or an action. */
export type Denial = 'user' | 'database' | 'rights';

type None = Record<never, never>;
type AtPlace = { readonly place: string };
type OfDisk = { readonly path: string; readonly trouble: DiskTrouble };

export type SharedFacts = {
  'bad-url': { readonly source: string; readonly fault: UrlFault };
  'blank-in-url': { readonly source: string; readonly position: number };
  /** A parameter is undefined if its name must not be shown. */
  'unknown-parameters': {
    readonly source: string;
    readonly parameters: readonly (string | undefined)[];
    readonly known: readonly string[];
  };
  'repeated-parameter': { readonly source: string; readonly parameter: string };
  'unsupported-variable': { readonly variable: string };
  'bad-setting': { readonly origin: Origin; readonly fault: SettingFault };
  'unseen-in-setting': { readonly origin: Origin; readonly unseen: Unseen };
  'certificate-alone': { readonly missing: 'sslcert' | 'sslkey' };

  'certificate-unreadable': OfDisk;
  'not-pem': { readonly path: string; readonly wanted: 'certificate' | 'key' };
  'key-open-to-others': { readonly path: string };
  'notes-unreadable': OfDisk;

  interrupted: None;
  unreachable: AtPlace & { readonly trouble: ServerTrouble };
  'no-tls': AtPlace;
  'certificate-refused': AtPlace & { readonly trouble: ServerTrouble };
  'password-missing': AtPlace;
  denied: AtPlace & {
    readonly denial: Denial;
    readonly role: string;
    readonly trouble: ServerTrouble;
  };
  'through-pooler': AtPlace;
  'server-too-old': AtPlace & { readonly version: number; readonly least: number };
  'not-utf8': AtPlace & { readonly encoding: string };
  /** The server is a standby, so nothing can be sent through it. */
  'standby-only': AtPlace;
  /** The server is a standby, so the journal itself cannot be changed. */
  'unchanged-on-standby': AtPlace;
  'role-reads-only': AtPlace;
  'not-durable': AtPlace & { readonly setting: string };
  'not-on-standby': AtPlace;
  busy: AtPlace;
  'disk-full': AtPlace;

  /** `ownersUrl` is for the role that may create or change the schema; undefined if this role may. */
  'schema-missing': AtPlace & { readonly schema: string; readonly ownersUrl: string | undefined };
  /** Another botctl made it. */
  'other-version': AtPlace & { readonly version: number; readonly known: number };
  'schema-foreign': AtPlace & { readonly schema: string };
  'may-only-look': AtPlace;
  'may-not-migrate': AtPlace & { readonly schema: string };
  /** A file can only be imported into a journal without an entry. */
  'not-empty': AtPlace;

  lost: AtPlace & { readonly loss: Loss };
  'rules-refused': AtPlace & { readonly trouble: ServerTrouble };
  /** Other processes have declared this one dead. */
  fenced: AtPlace;
};

const codes = {
  'bad-url': 'usage',
  'blank-in-url': 'usage',
  'unknown-parameters': 'usage',
  'repeated-parameter': 'usage',
  'unsupported-variable': 'usage',
  'bad-setting': 'usage',
  'unseen-in-setting': 'usage',
  'certificate-alone': 'usage',

  'certificate-unreadable': 'journal-unusable',
  'not-pem': 'journal-unusable',
  'key-open-to-others': 'journal-unusable',
  'notes-unreadable': 'machine-fault',

  interrupted: 'interrupted',
  unreachable: 'journal-unreachable',
  'no-tls': 'journal-unusable',
  'certificate-refused': 'journal-unusable',
  'password-missing': 'journal-unusable',
  denied: 'journal-denied',
  'through-pooler': 'journal-schema',
  'server-too-old': 'journal-schema',
  'not-utf8': 'journal-schema',
  'standby-only': 'journal-unreachable',
  'unchanged-on-standby': 'journal-unreachable',
  'role-reads-only': 'journal-not-writable',
  'not-durable': 'journal-not-durable',
  'not-on-standby': 'journal-not-durable',
  busy: 'journal-busy',
  'disk-full': 'journal-not-writable',

  'schema-missing': 'journal-schema',
  'other-version': 'journal-schema',
  'schema-foreign': 'journal-schema',
  'may-only-look': 'journal-schema',
  'may-not-migrate': 'journal-schema',
  'not-empty': 'not-allowed-now',

  lost: 'journal-lost',
  'rules-refused': 'journal-damaged',
  fenced: 'fenced',
} as const;

export const sharedFailure = failing<SharedFacts>('shared', codes);
