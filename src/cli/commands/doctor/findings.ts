import { isTokenProgram, systemProgram } from '../../../chain/transaction.ts';
import { type Bot, connectionTo, envBot } from '../../../once/connection.ts';
import { withoutApiPath } from '../../../once/intent/baseUrl.ts';
import { states } from '../../../once/journal/columns.ts';
import type { JournalLook } from '../../../once/journal/file/lookOnly.ts';
import type { Intent } from '../../../once/journal/journal.ts';
import { endpoint } from '../../../once/wire/flight.ts';
import type { Probe, ProxyInEnv } from '../../../once/wire/probe.ts';
import type { ChainBot, ChainProfile } from '../../bot/chooseBot.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { balanceText } from '../../say/balance.ts';
import { approvedNotSent, reasonWords } from '../../say/chain.ts';
import { endsWithApiPath } from '../../say/config.ts';
import { inWords } from '../../say/inWords.ts';
import { putBackParts } from '../../say/journal.ts';
import { insecureTlsHint, notAProxy, proxyHint } from '../../say/machine.ts';
import {
  counted,
  formatClockOffset,
  formatCount,
  iso,
  isoDay,
  isoExact,
  listed,
  type Suggestion,
} from '../../say/phrases.ts';
import { type Sentence, says, type Told } from '../../say/told.ts';
import { adviceOn, troubleWords } from '../../say/trouble.ts';
import { balanceTimeoutMs } from '../balance.ts';
import { type OpenedChain, openChain } from '../chain.ts';
import { channelOptions } from '../openBot.ts';
import { settingsOf } from '../openJournal.ts';

type Level = 'ok' | 'warn' | 'fail';

/** What one check found and, if something is wrong, what to do. */
export type Finding = {
  readonly check: string;
  readonly level: Level;
  readonly says: string;
  readonly todo?: string;
  /** Commands that fix it, each ready to paste. */
  readonly next?: readonly Suggestion[];
};

export function ok(check: string, says: string): Finding {
  return { check, level: 'ok', says };
}

function finding(check: string, level: Level, { message, hint, next = [] }: Sentence): Finding {
  return {
    check,
    level,
    says: message,
    ...(hint === undefined ? {} : { todo: hint }),
    ...(next.length === 0 ? {} : { next }),
  };
}

/** Made of what was found and, below it, what to do. */
type Finds = (check: string) => (...how: Parameters<typeof says>) => Finding;

export const warn: Finds =
  (check) =>
  (...how) =>
    finding(check, 'warn', says(...how));

export const fail: Finds =
  (check) =>
  (...how) =>
    finding(check, 'fail', says(...how));

/** Turns a failure into a finding. It need not say that nothing was sent: the doctor sends no message and no payment. */
export function failed(check: string, { message, details: { hint, next = [] } }: Told): Finding {
  if (hint !== undefined) return finding(check, 'fail', { message, hint, next });
  return fail(check)`${message}
    See the details:
    $ doctor --verbose`;
}

export function inOrder(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level !== 'fail');
}

/** The Node majors that botctl is tested on. Older ones fail before this code runs. */
const testedMajors = [20, 22, 24, 26];

export function engineFinding({ bun, node = '' }: NodeJS.Dict<string>): Finding {
  return bun === undefined ? nodeFinding(node) : ok('node', `Bun ${bun}, in botctl’s own file`);
}

function nodeFinding(version: string): Finding {
  const number = version.replace(/^v/u, '');
  if (testedMajors.includes(Number.parseInt(number, 10))) return ok('node', `Node ${number}`);
  return warn('node')`Node ${number} is not a version that botctl is tested on
    If anything is odd, use Node ${listed(testedMajors.map(String), 'or')}.`;
}

/** Tries the token with a message that has no conversation and no content: the service must refuse it. */
export async function tokenFinding(
  bot: Bot,
  mayAsk: boolean,
  timeoutMs: number,
  context: Context,
): Promise<Finding> {
  const { tokenSource } = bot;
  if (!mayAsk) return ok('token', `from ${tokenSource}; its first use shows its permissions`);
  const connection = connectionTo(bot, channelOptions(context, false));
  try {
    const shipment = { url: endpoint(bot.spelledUrl, 'message'), token: bot.token, body: Buffer.from('{}') };
    const limits = { timeoutMs, cut: context.interrupts.first, door: () => undefined };
    const flight = await context.display.waiting(
      'Trying the token',
      connection.channel.fly(shipment, limits),
    );
    const status = flight.came === 'reply' ? flight.status : undefined;
    if (status === 401 && bot.name === envBot)
      return fail('token')`from ${tokenSource}; the service refuses it (401)
        Give another token, with --token-file or BOTCTL_TOKEN.`;
    if (status === 401)
      return fail('token')`from ${tokenSource}; the service refuses it (401)
        Set the token again:
        $ config set ${bot.name} token`;
    if (status === 400 || status === 404 || status === 422)
      return ok('token', `from ${tokenSource}; the service accepts it`);
    if (status === 403)
      return warn('token')`from ${tokenSource}; it may not send messages (403)
        Have the bot given the permission, unless it only pays.`;
    const why = status === undefined ? ': no answer' : ` (${status})`;
    return warn('token')`from ${tokenSource}; it could not be checked${why}
      The first use will show.`;
  } finally {
    await connection.close();
  }
}

/** Why Solana's programs do not run here. Without them the sandbox offers messages only. */
export type SandboxTrouble = { readonly message: string; readonly hint: string };

export function sandboxFinding(trouble: SandboxTrouble | undefined): Finding {
  if (trouble === undefined) return ok('sandbox', 'messages and real transfers');
  return warn('sandbox')`messages only. ${trouble.message}
    ${trouble.hint}`;
}

const dayMs = 86_400_000;
const soonDays = 14;
const noticedMs = 30_000;
const tooFarMs = 5 * 60_000;

/** The proxy that the environment names, and whether requests to this service go through it. */
type ProxyFacts = Pick<ProxyInEnv, 'shown' | 'bad'> & { readonly used: boolean };

export function addressFinding(
  baseUrl: string,
  found: Probe,
  proxy: ProxyFacts | undefined,
  nowMs: number,
): Finding {
  if (!found.reached) {
    const advice = adviceOn(found.trouble);
    const check = proxy?.used
      ? `Check the proxy ${shownOf(proxy)} (HTTPS_PROXY, NO_PROXY), then the base URL.`
      : 'Check the base URL, the network, and whether a proxy is needed (HTTPS_PROXY).';
    const why = (found.trouble && troubleWords(found.trouble)) ?? 'no reason is known';
    return fail('address')`${baseUrl} cannot be reached: ${why}
      ${advice === undefined ? check : `${advice}.`}`;
  }
  const url = withoutApiPath(baseUrl);
  if (url !== undefined) return finding('address', 'fail', endsWithApiPath(baseUrl, url));
  const { tls } = found;
  // Without a protocol the connection is not encrypted.
  const says = `${baseUrl} answers${tls?.protocol === undefined ? '' : ` with ${tls.protocol}`}`;
  if (tls?.validToMs === undefined) return ok('address', says);
  return tls.validToMs - nowMs < soonDays * dayMs
    ? warn('address')`${says}; its certificate ends on ${isoDay(tls.validToMs)}
      Tell the service’s operator.`
    : ok('address', `${says}, certificate until ${isoDay(tls.validToMs)}`);
}

export function proxyFinding(proxy: ProxyFacts | undefined): Finding {
  if (proxy === undefined) return ok('proxy', 'none');
  if (proxy.bad !== undefined)
    return fail('proxy')`${notAProxy(proxy.bad)}
      ${proxyHint}`;
  return ok('proxy', proxy.used ? shownOf(proxy) : `${shownOf(proxy)} is set, but not used for this service`);
}

function shownOf({ shown }: ProxyFacts): string {
  return shown ?? 'an unreadable proxy URL';
}

export function insecureTlsFinding(env: Readonly<Record<string, string | undefined>>): Finding[] {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return [];
  return [
    fail('tls')`
      NODE_TLS_REJECT_UNAUTHORIZED=0 is set: certificates would not be checked, so botctl sends nothing
      ${insecureTlsHint}`,
  ];
}

/** Compares the service's clock with this one, and this one with the times in the journal. */
export function clockFinding(
  found: Pick<Probe, 'clock' | 'reached' | 'trouble'> | undefined,
  latestInJournalMs: number | undefined,
  nowMs: number,
): Finding {
  if (latestInJournalMs !== undefined && latestInJournalMs - nowMs > tooFarMs) {
    return fail('clock')`
      this machine’s clock is behind the journal’s last entry (${isoExact(latestInJournalMs)})
      Set the clock: until then, unknown transfers count as too old and are held.`;
  }
  if (found?.clock === undefined) {
    const hasReplied = found?.reached === true && found.trouble === undefined;
    return finding('clock', 'warn', {
      message: `not compared with the service’s: ${hasReplied ? 'its reply had no Date header' : 'there was no reply'}`,
      hint: 'Compare it with a clock that you trust.',
      next: [{ shell: [['date', '-u']] }],
    });
  }
  const { clock } = found;
  const aheadMs = clock.oursMs - clock.theirsMs;
  const says = `${formatClockOffset(aheadMs)} the service’s`;
  if (Math.abs(aheadMs) <= noticedMs) return ok('clock', says);
  return (Math.abs(aheadMs) > tooFarMs ? fail : warn)('clock')`${says}
    Set the clock: the age of an unknown transfer is measured with it.`;
}

/** What exists at the journal's path. */
export type JournalFacts =
  | { readonly is: 'there'; readonly look: JournalLook; readonly disk: Disk }
  | { readonly is: 'none'; readonly folder: string; readonly disk: Disk }
  | { readonly is: 'unreadable'; readonly failure: Told };

/** The disk that the journal is on, or will be on. */
type Disk = {
  readonly kind: 'tmpfs' | 'overlay' | 'network' | undefined;
  /** Why a send could not write there, as part of a sentence. */
  readonly trouble: string | undefined;
};

export function journalFindings(path: string, facts: JournalFacts): Finding[] {
  switch (facts.is) {
    case 'unreadable':
      return [failed('journal', facts.failure)];
    case 'none':
      return [absentFinding(path, facts.folder, facts.disk), ...diskFindings(facts.disk)];
    case 'there':
      return [
        fileFinding(path, facts.look, facts.disk),
        ...(facts.look.isJournal ? [wholeFinding, ...intentFindings(facts.look)] : []),
        ...diskFindings(facts.disk),
      ];
  }
}

function absentFinding(path: string, folder: string, { trouble }: Disk): Finding {
  return trouble === undefined
    ? ok('journal', `none yet; the first command creates ${path}`)
    : fail('journal')`${folder} cannot be written (${trouble}), so nothing can be sent
      Fix its permissions.`;
}

/** A journal that lacks what was noted is refused before this check. */
export const wholeFinding = ok('note', 'the journal has everything that it acknowledged to this machine');

const disks: Readonly<Record<'tmpfs' | 'overlay' | 'network', Sentence>> = {
  tmpfs: {
    message: 'the journal is kept in memory (tmpfs): it is lost when this machine stops',
    hint: 'Keep it on a disk: name another file with --journal or BOTCTL_JOURNAL.',
  },
  overlay: {
    message: 'the journal is in a container’s own layer (overlay): it is lost when the container is removed',
    hint: 'Mount a permanent folder, and name a file in it with BOTCTL_JOURNAL. Until then, name what you send: --once NAME.',
  },
  network: {
    message: 'the journal is on a network disk, whose locks may not reach all machines',
    hint: 'Keep it on a local disk.',
  },
};

function diskFindings({ kind }: Disk): Finding[] {
  return kind === undefined ? [] : [finding('disk', 'warn', disks[kind])];
}

function fileFinding(path: string, look: JournalLook, { trouble }: Disk): Finding {
  const { check, version, knownVersion, mode, syncsFully, movedTo, isChanged } = look;
  if (!look.isJournal)
    return fail('journal')`${path} is not a journal
      Name the right file with --journal or BOTCTL_JOURNAL.`;
  if (check.length !== 1 || check[0] !== 'ok')
    return fail('journal')`${path} is damaged: ${check.join('; ')}
      Stop botctl, keep a copy of ${path}, and replace it with a backup.`;
  if (version !== knownVersion)
    return fail('journal')`
      ${path} was made by another botctl (version ${version}; this one knows ${knownVersion})
      Use the botctl that made it.`;
  if (isChanged)
    return fail('journal')`${path} was changed by hand: its tables or rules are not as botctl made them
      ${putBackParts}`;
  if (movedTo !== undefined)
    return fail('journal')`${path} was copied into ${movedTo}, and no longer sends anything itself
      Name that journal with BOTCTL_JOURNAL or --journal.`;
  if (!syncsFully)
    return fail('journal')`this build of SQLite does not commit durably
      Report it, with the output of this:
      $ doctor --json`;
  if (trouble !== undefined)
    return fail('journal')`${path} can be read but not written (${trouble}), so nothing can be sent
      Fix that.`;
  if (mode !== 'wal')
    return warn('journal')`${path} is in ${mode} mode, not wal
      The next send sets it. If it does not change, the disk has no shared memory: use a local one.`;
  return ok('journal', `${path}: version ${version}, quick_check ok, WAL, synchronous FULL`);
}

/** The number of intents in each state. */
function statesInAList(
  counts: readonly (readonly [state: string, count: number])[],
  { held: waiting = 0, open: approved = 0 }: JournalLook['proposals'],
): string {
  const said = ([state, count]: readonly [string, number]): string => `${formatCount(count)} ${state}`;
  const held = waiting === 0 ? '' : ` (${counted(waiting, 'waits', 'wait')} for approval)`;
  const open = approved === 0 ? '' : ` (${formatCount(approved)} ${approvedNotSent})`;
  return counts.map((one) => said(one) + ({ held, open }[one[0]] ?? '')).join(', ') || 'none';
}

type IntentsLook = Pick<JournalLook, 'counts' | 'proposals'> & {
  readonly oldestUnknown: Pick<Intent, 'id' | 'mayHaveLandedAtMs' | 'createdAtMs'> | undefined;
};

export function intentFindings({ counts, proposals, oldestUnknown: oldest }: IntentsLook): Finding[] {
  const says = statesInAList(
    states.flatMap((state) => (counts[state] ? [[state, counts[state]] as const] : [])),
    proposals,
  );
  if ((counts.unknown ?? 0) > 0 || oldest !== undefined) {
    const sinceMs = oldest && (oldest.mayHaveLandedAtMs ?? oldest.createdAtMs);
    const since = sinceMs === undefined ? '' : `; the oldest unknown is ${oldest?.id}, since ${iso(sinceMs)}`;
    return [
      warn('intents')`${says}${since}
        Run the same command again, or resume everything that is unknown:
        $ history --state unknown
        $ resume --all`,
    ];
  }
  if ((proposals.open ?? 0) > 0)
    return [
      warn('intents')`${says}
        What was approved is sent by its own command, run again, or by this:
        $ resume --all`,
    ];
  return [
    counts.held
      ? warn('intents')`${says}
        They are waiting for you to decide. The history shows them:
        $ history --state held`
      : ok('intents', says),
  ];
}

/** Asks the profile's node whether cluster, mints and wallet belong together, and what the wallet holds. */
export async function chainFindings(
  bot: Pick<ChainBot, 'name' | 'chain' | 'settings'>,
  given: ParsedArgs,
  context: Context,
): Promise<readonly Finding[]> {
  const { name, chain } = bot;
  if (chain === undefined)
    return name === envBot
      ? []
      : [ok('chain', 'the profile has no rpc-url: botctl balance says how to set it')];
  const { timeoutMs = balanceTimeoutMs } = settingsOf(given);
  let opened: OpenedChain;
  try {
    opened = await openChain(bot, given, context, { timeoutMs });
  } catch (thrown) {
    return [failed('chain', await inWords(thrown))];
  }
  try {
    return await context.display.waiting('Asking the Solana node', findingsOf(name, chain, opened));
  } finally {
    await opened.close();
  }
}

/** All is asked at once. What the node of another cluster says is not shown. */
async function findingsOf(name: string, chain: ChainProfile, { node }: OpenedChain): Promise<Finding[]> {
  const [cluster, ...rest] = await Promise.all([
    node.cluster(),
    ...Object.entries(chain.assets).map(async ([asset, mint]): Promise<Finding[]> => {
      const isMint = await node.isMint(mint);
      if (isMint === undefined)
        return [
          warn('mint')`the node does not say whether the mint of ${asset} is a mint
            Try again later.`,
        ];
      return isMint
        ? []
        : [
            fail('mint')`the mint of ${asset}, ${mint}, is not a token’s mint on this cluster
              Set the assets again, with the mints of this cluster:
              $ config set ${name} assets NAME=MINT`,
          ];
    }),
    walletFindings(name, chain, node),
  ]);
  if ('because' in cluster && cluster.because === 'other-cluster')
    return [
      fail('chain')`the node ${node.host} belongs to another cluster than the profile names
        Set the other cluster, or the URL of another node:
        $ config set ${name} cluster CLUSTER
        $ config set ${name} rpc-url`,
    ];
  if ('because' in cluster)
    return [
      warn('chain')`the node ${node.host} does not say its cluster: ${reasonWords[cluster.because]}
        Payments do not need it. To prove them, and to see balances, try again later or set another rpc-url.`,
    ];
  return [ok('chain', `${node.host}: cluster ${cluster.name}`), ...rest.flat()];
}

async function walletFindings(
  name: string,
  { wallet, assets }: ChainProfile,
  node: OpenedChain['node'],
): Promise<Finding[]> {
  if (wallet === undefined)
    return [ok('wallet', 'the profile has no wallet: botctl balance says how to set it')];
  const wanted = [{ asset: 'SOL' }, ...Object.entries(assets).map(([asset, mint]) => ({ asset, mint }))];
  const [owner, holdings] = await Promise.all([node.ownerOf(wallet), node.holdings(wallet, wanted)]);
  if (owner !== undefined && isTokenProgram(owner))
    return [
      fail('wallet')`${wallet} is a mint or a token account, not a wallet
        Set the address of the bot’s own wallet, the owner of its token accounts:
        $ config set ${name} wallet ADDRESS`,
    ];
  if (owner !== undefined && owner !== 'none' && owner !== systemProgram)
    return [
      warn('wallet')`${wallet} belongs to the program ${owner} and may not be a wallet
        Compare it with the address of the bot’s own wallet.`,
    ];
  const text = balanceText({ is: 'asked', host: node.host, cluster: node.clusterName, holdings });
  const isUnknown = holdings.some(({ held }) => 'because' in held);
  if (isUnknown)
    return [
      warn('balance')`${text}
        Try again later.`,
    ];
  const isEmpty = holdings.every(({ held }) => 'units' in held && held.units === 0n);
  return [
    isEmpty
      ? warn('balance')`the wallet ${wallet} holds nothing on ${node.clusterName ?? 'this cluster'}
        Check the address and the cluster, or add money to it.`
      : ok('balance', text),
  ];
}
