import type { ChainFacts } from '../../once/chain/cluster.ts';
import type { NoFile } from '../../once/journal/place.ts';
import type { UrlSource } from '../../postgres/address.ts';
import type { Secret, TokenSource } from '../bot/tokenSource.ts';
import { listed, type Occurrence, optionWords, type Suggestion } from './phrases.ts';
import { type Sentence, sentence, type Table, Told } from './told.ts';

export const waitingForToken = 'Waiting for the token.';
export const startingSandbox = 'Starting the sandbox';
export const sandboxToken = 'the sandbox';

export function speakingAs(bot: string, tokenOrigin: string, url: string): string {
  return `bot ${bot} (token from ${tokenOrigin}) to ${url}`;
}

export function besideSandbox(option: string): Told {
  return new Told(
    'usage',
    `--sandbox uses only the built-in service, so it cannot be combined with --${option}`,
    {
      hint: `Leave out --sandbox, or --${option}.`,
    },
  );
}

/** An option or a variable that names the bot has no value. */
export function emptyBotInput(source: string): Told {
  const code = source === 'BOTCTL_TOKEN' ? 'no-token' : 'usage';
  return new Told(code, `${source} is empty`, {
    hint: source.startsWith('--')
      ? `Give ${source} a value, or leave it out.`
      : `Give ${source} a value, or unset it. In CI, check that the secret or variable is defined for this job.`,
  });
}

export function noBaseUrl(tokenSource: string): Told {
  return new Told('base-url', `The token from ${tokenSource} has no base URL`, {
    hint: 'Add --base-url URL or set BOTCTL_BASE_URL.',
  });
}

export const tokenProblems = {
  empty: 'is empty',
  tooLong: (most: number) => `is longer than ${most} characters`,
  blank: (position: number) => `has a space or a line break at position ${position}`,
  control: (position: number) => `has a control character at position ${position}`,
  notAscii: (position: number) => `has a character outside ASCII at position ${position}`,
} as const;

/** `origin` says where the text came from. The text itself is never echoed. */
export function badToken(origin: string, problem: string, secret: Secret): Told {
  if (secret === 'rpc-url')
    return new Told('bad-rpc-url', `The rpc-url from ${origin} ${problem}`, { hint: wholeRpcUrl });
  return new Told('bad-token', `The token from ${origin} ${problem}`, {
    hint: 'A token is one word of printable ASCII characters. Copy the whole token again, without “Bot ” before it and without quotes.',
  });
}

export function tokenVariableUnset(
  profile: string,
  variable: string,
  value: '' | undefined,
  secret: Secret,
): Told {
  const problem = value === undefined ? 'is not set' : 'is empty';
  return new Told(
    noSecret[secret],
    `Profile ${profile} takes its ${secret} from the variable ${variable}, which ${problem}`,
    {
      hint: `Set ${variable} and run the same command again, or change where the profile takes its ${secret} from:`,
      next: [['config', 'set', profile, secret]],
    },
  );
}

export const noSecret = { token: 'no-token', 'rpc-url': 'no-rpc-url' } as const satisfies Record<
  Secret,
  string
>;

/** Why the ending of a token cannot be shown. */
export const glimpseProblems = { unset: 'not set here', empty: 'empty', notAToken: 'not a token' } as const;

/** Where a token comes from, if not from a profile. */
export const theCommandLine = 'the command line';
export const theTerminal = 'the terminal';
export function theSecretCommand(secret: Secret): string {
  return `the ${secret} command`;
}
export function theFile(path: string): string {
  return `the file ${path}`;
}
export function theProfile(name: string): string {
  return `profile ${name}`;
}

/** Where a token comes from, without the secret. */
export function tokenOrigin(source: TokenSource): string {
  switch (source.kind) {
    case 'stored':
      return 'stored in the profile';
    case 'env':
      return `the variable ${source.variable}`;
    case 'file':
      return theFile(source.path);
    case 'command':
      return `the command ${source.command}`;
  }
}

const wholeRpcUrl = 'Give the whole URL of a Solana node, as its operator shows it.';

const rpcUrlFaults = {
  'not-a-url': 'is not a URL',
  'not-https': 'is not https (http is allowed only for a node on this machine)',
  'user-info': 'contains a user name or a password: put a secret into the path or the query',
  fragment: 'has a part after #, which is never sent',
} as const;

export const chainTable: Table<ChainFacts> = {
  'bad-rpc-url': ({ origin, fault }) => ({
    message: `The rpc-url from ${origin} ${rpcUrlFaults[fault]}`,
    hint: wholeRpcUrl,
  }),
};

export function sameHostTwice(host: string): Told {
  return new Told('bad-rpc-url', `Two rpc-urls have the same host (${host})`, {
    hint: 'Two nodes count as two witnesses only if they are on different hosts. Remove one, or name another.',
  });
}

export function badCluster(text: string, names: readonly string[]): Told {
  return new Told('bad-input', `${JSON.stringify(text)} is not a cluster`, {
    hint: `Use ${listed(names, 'or')}, or the cluster’s genesis hash.`,
  });
}

export function badWallet(text: string): Told {
  return new Told('bad-input', `The wallet ${JSON.stringify(text)} is not 32 bytes in base58`, {
    hint: 'Give the address of the bot’s own wallet.',
  });
}

export function badAssets(problem: string): Told {
  return new Told('bad-input', `The assets are not valid: ${problem}`, {
    hint: 'Write names and mints, as in \'{"USDC":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}\'.',
  });
}

export function rpcUrlAsArgument(command: 'add' | 'set'): Told {
  return new Told(
    'usage',
    'An rpc-url with a path or a query cannot be an argument: it may contain a secret, and arguments are visible in ps',
    {
      hint: `If it contains a secret, have a new one issued. ${
        command === 'add'
          ? 'Leave it out to be asked for it, or set it later with config set NAME rpc-url.'
          : 'Leave it out to be asked for it, or use --token-stdin, --token-env, --token-file or --token-command.'
      }`,
    },
  );
}

export function addIsForRpcUrl(): Told {
  return new Told('usage', '--add works only with rpc-url', {
    hint: 'Every other setting has one value.',
  });
}

export const theInput = 'the input';

export function rpcUrlQuestion(profile: string): string {
  return `rpc-url of ${profile} (not shown)`;
}

/** Shown beside a source whose text is checked without being fetched. */
export const notARpcUrl = 'not a usable URL';

/** How to write a duration, for help and complaints. */
const durationRule = 'a whole number followed by ms, s, m or h: 500ms, 30s, 5m, 24h';

const durationProblems = {
  'no-duration': 'is not a duration',
  'too-short': 'is too short',
  'too-long': 'is too long',
} as const;

/** `where` names the field as the user wrote it: `--timeout`, or the key of a profile. */
export function badDuration(where: string, text: string, problem: keyof typeof durationProblems): Told {
  return new Told('bad-input', `${where} ${JSON.stringify(text)} ${durationProblems[problem]}`, {
    hint: `Write ${durationRule}; at most 596h.`,
  });
}

export function badRetries(where: string, text: string, most: number): Told {
  return new Told('bad-input', `${where} ${JSON.stringify(text)} is not a valid number`, {
    hint: `Write a whole number from 0 to ${most}.`,
  });
}

export function badConfirm(where: string, text: string): Told {
  return new Told('bad-input', `${where} ${JSON.stringify(text)} is not a valid value`, {
    hint: 'Write always, or reset the setting with botctl config unset.',
  });
}

export function badPath(where: string, text: string): Told {
  return new Told('bad-input', `${where} ${JSON.stringify(text)} is not an absolute path`, {
    hint: 'Write the whole path, starting with /.',
  });
}

export function emptyJournal(source: UrlSource): Told {
  return new Told('usage', `${source} is empty`, {
    hint:
      source !== 'BOTCTL_JOURNAL'
        ? 'Give it a file, or a postgres:// URL.'
        : 'Set it to the whole path of a file, or to a postgres:// URL. To use the journal of this user, unset it.',
  });
}

const file = 'For a file, write its whole path.';
const server = 'For a server, write its URL, like postgres://bots@db.example.com/ledger.';

const looks: Readonly<Record<NoFile, readonly [says: string, hint: string]>> = {
  marked: ['begins or ends with a space, a quote or an invisible character', 'Remove it.'],
  url: ['looks like a URL, but does not begin with postgres://', `${server} ${file}`],
  settings: ['looks like a connection string, but a server must be given as a URL', server],
  server: ['looks like a server, but a server must be given as a URL', `${server} ${file}`],
  relative: [
    'is ambiguous: it could be a file in this folder, or a server without postgres://',
    `${file} With --journal, it may also begin with ./, ../ or ~/. ${server}`,
  ],
};

/** The text is not repeated: it may hold a password. */
export function noJournalFile(source: string, as: NoFile): Told {
  const [says, hint] = looks[as];
  return new Told('usage', `${source} ${says}`, { hint });
}

export function relativeJournal(): Told {
  return new Told('usage', 'BOTCTL_JOURNAL is not an absolute path', {
    hint: 'Write the whole path, starting with /. Otherwise each folder would have its own journal.',
  });
}

export function becomesNewJournal(path: string): string {
  return `${path} is an empty file. It becomes a new journal.`;
}

export function madeNewJournal(path: string): string {
  return `${path} is a new journal, so botctl cannot tell what was sent before. If you expected an earlier one, check this path.`;
}

export function shownInPart(lost: string): string {
  return `${lost} The rest of the journal is shown. Nothing can be sent until you deal with this:`;
}

export function shownUntilMove(place: string, movedTo: string): string {
  return `${place} was copied into ${movedTo}. Anything done since then is shown there.`;
}

export function noUserName(): Told {
  return new Told('usage', 'The journal’s URL names no user, and this account has no name', {
    hint: 'Write the user into the URL (postgres://USER@HOST/DATABASE), or set PGUSER.',
  });
}

export const connectingToJournal = 'connecting to the shared journal';

export const missingMayBeSent = 'What is missing may have been sent';

/** What accepting a loss costs. */
export const beforeAccepting =
  'check the wallet and the conversations for what was sent last. After you accept the loss, the same command may send that again:';

/** Damage on the disk that SQLite itself does not notice. */
export function damaged(what: string): Sentence {
  return {
    message: sentence(`The journal is damaged: ${what}`),
    hint: 'Keep a copy of it, and replace it with a backup. The doctor says which file it is:',
    next: [['doctor']],
  };
}

export function damage(what: string): Told {
  const { message, ...details } = damaged(what);
  return new Told('journal-damaged', message, details);
}

export const unreadableBody = 'a stored request cannot be read';

/** `journal` is the subject of the sentence. */
export function madeBeforeRelease(journal: string): string {
  return `${journal} was made by an unreleased botctl, and this version cannot read it. It was left unchanged`;
}

export const journalsOwn = 'of the journal';

export function countsNothing(place: string, source: string): Told {
  return new Told(
    'policy-journal',
    `The shared journal ${place} has no policy of its own and does not count spending yet, so the policy ${source} cannot be applied there`,
    {
      hint: 'The role that owns its tables must set a policy for everyone who sends through it:',
      next: [['policy', 'set', 'FILE']],
    },
  );
}

export function onlySharedHasPolicy(path: string): Told {
  return new Told('usage', `The journal ${path} is a file, and a file has no policy of its own`, {
    hint: 'Name the policy file in the profile, or save it as /etc/botctl/policy.json:',
    next: [['config', 'set', 'NAME', 'policy', '/etc/botctl/policy.json']],
  });
}

export function otherJournal(source: string, pinned: string, place: string): Told {
  return new Told(
    'policy-journal',
    `The policy ${source} allows only the journal ${pinned}, and this command uses ${place}`,
    {
      hint: 'Another journal does not count what was spent before. Use the journal that the policy names:',
      next: [['policy', 'show']],
    },
  );
}

/** Said when a profile was just given this policy. */
export function policyNotUsable(message: string): string {
  return `${message} Until that is fixed, this profile cannot send anything.`;
}

type GivenWords = {
  readonly command: string;
  readonly args: readonly string[];
  readonly occurrences: readonly Occurrence[];
};

/** The whole command again, without some options and with others. */
export function again(...how: Parameters<typeof againWords>): Suggestion {
  return againWords(...how);
}

export function againWords(
  { command, args, occurrences }: GivenWords,
  without: readonly string[] = [],
  ...more: readonly Occurrence[]
): readonly string[] {
  const options = occurrences.filter(({ name }) => !without.includes(name));
  return [...command.split(' '), ...args.map(asPath), ...[...options, ...more].flatMap(optionWords)];
}

/** Makes a path of a file name that looks like an option. */
function asPath(argument: string): string {
  return argument.length > 1 && argument.startsWith('-') ? `./${argument}` : argument;
}

/** `said` is what the reader of the password file has against it. */
export function passFileIgnored(said: string): string {
  return `The ${said}: it was not used`;
}
