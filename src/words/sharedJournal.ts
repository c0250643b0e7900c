import type { Note } from '../journal/postgres/note.ts';
import { madeBeforeRelease } from './journal.ts';
import { listed } from './list.ts';
import { nothingChanged } from './nothing.ts';
import type { Suggestion } from './suggestion.ts';
import { isoExact } from './time.ts';
import { Told } from './told.ts';

// `place` is always the journal's URL without its password.

/** `trouble` is part of a sentence: what the network, the server or the driver said. */
export function journalUnreachable(place: string, trouble: string, cause?: unknown): Told {
  return new Told('journal-unreachable', `The journal ${place} cannot be reached: ${trouble}`, {
    hint: 'Run the same command again once its server answers. The doctor shows how botctl connects to it.',
    next: [['doctor']],
    ...(cause === undefined ? {} : { cause }),
  });
}

export function sharedJournalBusy(place: string, cause: unknown): Told {
  return new Told(
    'journal-busy',
    `The journal ${place} is kept busy: another process holds what this command needs, and does not go on`,
    {
      hint: 'Run the same command again in a moment: the server soon gives up a process that is gone.',
      cause,
    },
  );
}

export function serverWithoutTls(place: string, cause: unknown): Told {
  return new Told(
    'journal-unusable',
    `The server of the journal ${place} offers no TLS, and sslmode asks for it`,
    {
      hint: 'Have TLS turned on there (ssl = on). Only where the whole network between is yours, use sslmode=disable.',
      cause,
    },
  );
}

/** `why` is part of a sentence: what is wrong with the certificate. */
export function certificateRefused(place: string, why: string, cause: unknown): Told {
  return new Told(
    'journal-unusable',
    `The server of the journal ${place} did not prove that it is the right one: ${why}`,
    {
      hint: 'Use the host name that its certificate names. If your own authority signed it, give that authority’s certificate with sslrootcert in the URL.',
      cause,
    },
  );
}

function badSchema(what: string, hint: string, next?: readonly Suggestion[]): Told {
  return new Told('journal-schema', what, { hint, ...(next === undefined ? {} : { next }) });
}

/** `url` leads whoever owns the journal to it; without one that is who asks. */
function migrating(url: string | undefined): readonly Suggestion[] {
  return [['journal', 'migrate', ...(url === undefined ? [] : ['--journal', url])]];
}

export function schemaMissing(place: string, schema: string, ownersUrl?: string): Told {
  return badSchema(
    `There is no journal in the schema ${schema} of ${place}`,
    'Check the schema and the database in the URL. If the journal is to be there, make it as whoever owns the database:',
    migrating(ownersUrl),
  );
}

export function schemaForeign(place: string, schema: string): Told {
  return badSchema(
    `The schema ${schema} of ${place} has a table meta, but not that of a journal`,
    'Name another schema in the URL, with ?schema=.',
  );
}

export function schemaNewer(place: string, version: number, known: number): Told {
  return badSchema(
    `The journal ${place} was made by a newer botctl (journal version ${version}; this one knows ${known}). It was left as it is`,
    'Use the newer botctl on this machine too.',
  );
}

export function schemaUnreleased(place: string): Told {
  return badSchema(
    madeBeforeRelease(`The journal ${place}`),
    'Name another schema in the URL, with ?schema=, or rename this one. A new journal knows nothing of what this one sent.',
  );
}

export function schemaOlder(place: string, version: number, needed: number, ownersUrl?: string): Told {
  return badSchema(
    `The journal ${place} has version ${version}, and this botctl needs ${needed}. It was left as it is`,
    'Commands that send never change it themselves. Bring it up to date as whoever owns it:',
    migrating(ownersUrl),
  );
}

/** `why` is part of a sentence: the setting that lets the server forget what it has acknowledged. */
export function serverNotDurable(place: string, why: string): Told {
  return new Told(
    'journal-not-durable',
    `The server of the journal ${place} may lose what it has acknowledged: ${why}`,
    {
      hint: 'Have the setting turned on, then run the same command again. The doctor says what else can be done.',
      next: [['doctor']],
    },
  );
}

/** Another process holds what this one held: it was silent for longer than the journal allows. */
export function fenced(place: string): Told {
  return new Told(
    'fenced',
    `This process was silent for too long, and the journal ${place} counts it as ended: others may go on with its work`,
    { hint: 'Run the same command again: it finds out what was done meanwhile.' },
  );
}

/** `kind` is what was to be sent. */
export function unnamedOnShared(place: string, kind: string): Told {
  return new Told(
    'unnamed-shared',
    `The journal ${place} is shared, and a ${kind} without a name is not sent through one`,
    {
      hint: 'Name what you send, with --once, --run or --idempotency-key: only a name keeps two machines from sending it twice, whatever the journal’s server may lose. More about that:',
      next: [['help', 'reruns']],
    },
  );
}

export function notOnStandby(place: string): Told {
  return new Told(
    'journal-not-durable',
    `The server of the journal ${place} waits for a standby to have it too before anything leaves, and no standby answered`,
    { hint: 'Run the same command again once the standby answers.' },
  );
}

export function standbyOnly(place: string): Told {
  return new Told(
    'journal-unreachable',
    `The server of the journal ${place} is a standby: it shows what it has, and takes nothing`,
    { hint: 'Name the server that takes writes, then run the same command again.' },
  );
}

export function readOnlySession(place: string, cause?: unknown): Told {
  return new Told(
    'journal-not-writable',
    `The server of the journal ${place} lets this role only read: its setting default_transaction_read_only is on`,
    {
      hint: 'Have it turned off for the role that sends (ALTER ROLE … SET default_transaction_read_only = off), or use another role.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

export function serverTooOld(place: string, version: number, least: number): Told {
  return new Told(
    'journal-schema',
    `The server of the journal ${place} is PostgreSQL ${version}, and botctl needs ${least} or newer`,
    { hint: 'Use a newer server.' },
  );
}

export function throughPooler(place: string, cause: unknown): Told {
  return new Told(
    'journal-schema',
    `A pooler stands before the journal ${place} that gives each transaction another connection`,
    {
      hint: 'Have it set to session mode (PgBouncer: pool_mode = session), or name the server itself.',
      cause,
    },
  );
}

export function notUtf8(place: string, encoding: string): Told {
  return new Told(
    'journal-schema',
    `The database of the journal ${place} is encoded in ${encoding}, which cannot hold every name and text`,
    { hint: 'Use a database in UTF8.' },
  );
}

export function noSalt(place: string): Told {
  return new Told(
    'journal-schema',
    `This role may look at the journal ${place}, but not send through it or decide`,
    { hint: 'Use a role that was given what this prints:', next: [['journal', 'grants']] },
  );
}

export const settingOff = (setting: string): string => `its setting ${setting} is off`;

/** As sentences without their full stops. */
export function recordsGone(missing: readonly Note[]): string {
  const kinds = Object.entries(noted).flatMap(([what, plural]) => {
    const { length } = missing.filter((note) => note.what === what);
    if (length === 0) return [];
    return length > 1 ? `${length} ${plural}` : `${/^[ao]/u.test(what) ? 'an' : 'a'} ${what}`;
  });
  const verb = missing.length === 1 ? 'is' : 'are';
  return `${listed(kinds)} that the journal acknowledged to this machine ${verb} not in it any more`;
}

const noted: Readonly<Record<Note['what'], string>> = {
  attempt: 'attempts',
  decision: 'decisions',
  observation: 'observations',
  policy: 'policies',
};

export const serverChanged =
  'the journal is on another server than before, or on one that was promoted or restored, and this machine cannot tell whether anything is missing';

export function sharedJournalLost(place: string, what: string): Told {
  const message = `${hasLost(place, what)}. What is missing may have been sent`;
  return new Told('journal-lost', message, {
    hint: 'If you can, bring back the server as it was. If you cannot, check the wallet and the conversations first, then accept the loss:',
    next: [['journal', 'accept-loss']],
  });
}

/** `says` and what comes of it are sentences without their full stops. */
export function hasLost(place: string, says: string): string {
  return `The journal ${place} has lost something: ${says}`;
}

export function notesUnreadable(path: string, trouble: string, cause: unknown): Told {
  return new Told(
    'machine-fault',
    `What this machine noted of the journal, in ${path}, cannot be read: ${trouble}`,
    {
      hint: 'Fix the file or its permissions: without it, botctl cannot tell whether the journal has lost something.',
      cause,
    },
  );
}

export function missingNote({ what, id, number }: Note): string {
  if (what === 'policy') return `policy ${number}`;
  return `intent ${id}, ${what} ${what === 'attempt' ? number : `of ${isoExact(number)}`}`;
}

export function nothingMissing(place: string): string {
  return `The journal ${place} holds all that it acknowledged to this machine. ${nothingChanged}`;
}

export function unchangedOnStandby(place: string): Told {
  return new Told('journal-unreachable', `The server of the journal ${place} is a standby`, {
    hint: 'Name the server that takes writes: the standby follows it.',
  });
}

export function mayOnlyLook(place: string, cause: unknown): Told {
  return new Told('journal-schema', `This role may only look at the journal ${place}`, {
    hint: 'Use a role that was given what this prints:',
    next: [['journal', 'grants']],
    cause,
  });
}

/** Parts of a sentence. */
export const silentServer = 'its server did not answer in time';
export const commitUnheard = 'the server has not said how a commit ended';

/** Who the server does not let in, or what it does not let it do. */
export type Denial = 'user' | 'database' | 'rights';

/** `why` is what the server said, `role` who connected. */
export function journalDenied(
  place: string,
  { denial, why, role }: { denial: Denial; why: string; role: string },
  cause: unknown,
): Told {
  const { says, hint, next } = denials[denial](role);
  return new Told('journal-denied', `${says(place)}: ${why}`, {
    hint,
    ...(next === undefined ? {} : { next }),
    cause,
  });
}

type DenialWords = {
  readonly says: (place: string) => string;
  readonly hint: string;
  readonly next?: readonly Suggestion[];
};

const keptOut = (place: string): string => `The server of the journal ${place} does not let botctl in`;

const denials: Readonly<Record<Denial, (role: string) => DenialWords>> = {
  user: () => ({
    says: keptOut,
    hint: 'Check the user in the URL, the password (in BOTCTL_JOURNAL, PGPASSWORD or ~/.pgpass), and that the server takes this user from this machine (its pg_hba.conf).',
  }),
  database: () => ({
    says: keptOut,
    hint: 'Check the database in the URL. If it is the right one, have it made first, by whoever runs the server.',
  }),
  rights: (role) => ({
    says: (place) => `The role ${role} lacks rights in the journal ${place}`,
    hint: 'Have them given by whoever owns the journal’s tables. This prints the SQL (with --read-only too, if the role is only to look):',
    next: [['journal', 'grants', `--role=${role}`]],
  }),
};

export function serverDiskFull(place: string, cause: unknown): Told {
  return new Told('journal-not-writable', `The disk of the journal’s server is full (${place})`, {
    hint: 'Have room made on it, then run the same command again.',
    cause,
  });
}

export function rulesRefused(place: string, rule: string, cause: unknown): Told {
  return new Told('journal-damaged', `The journal ${place} refuses what was to be put on record: ${rule}`, {
    hint: 'Something in it is not what botctl wrote. Check the wallet and the conversation before anything is sent again.',
    cause,
  });
}
