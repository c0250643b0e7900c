import type { DiskTrouble } from '../machine/disk.ts';
import { failing } from '../once/failures.ts';
import type { Loss } from '../once/journal/facts.ts';

// A URL may hold a password, and a misplaced character can make any part of it one, so no field holds any of it. `place`
// is the journal's URL without its password.

export type UrlFault = 'not-postgres' | 'password-in-option' | 'unreadable' | 'schema';

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

export type SharedFacts = {
  'bad-url': { readonly source: string; readonly fault: UrlFault };
  'certificate-unreadable': { readonly path: string; readonly trouble: DiskTrouble };

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
  'certificate-unreadable': 'journal-unusable',

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
