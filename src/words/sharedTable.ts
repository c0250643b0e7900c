import type { Denial, ServerTrouble, SharedFacts } from '../journal/postgres/facts.ts';
import { troubleInWords } from './disk.ts';
import { whenReady } from './interrupted.ts';
import { madeBeforeRelease } from './journal.ts';
import { urlRows } from './journalUrl.ts';
import { unseenWords } from './naming.ts';
import { hasLost } from './sharedJournal.ts';
import type { Suggestion } from './suggestion.ts';
import type { Sentence, Table } from './told.ts';

const serverTroubles: Readonly<Record<Exclude<ServerTrouble['is'], 'said' | 'not-as-demanded'>, string>> = {
  silent: 'its server did not answer in time',
  'no-reason': 'no reason was given',
  'connection-lost': 'the connection was lost',
  'commit-undone': 'the server undid a commit',
  'commit-unheard': 'the server has not said how a commit ended',
};

/** As part of a sentence. */
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

/** `url` leads whoever owns the journal to it; without one that is who asks. */
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
