import type { engineVersion } from '../../../machine/engine/node.ts';
import { isTokenProgram, systemProgram } from '../../../once/chain/transaction.ts';
import { type Bot, type ChainProfile, connectionTo, envBot } from '../../../once/connection.ts';
import { withoutApiPath } from '../../../once/intent/baseUrl.ts';
import type { JournalLook } from '../../../once/journal/file/lookOnly.ts';
import type { RowNumbers } from '../../../once/journal/file/mark.ts';
import { type Intent, states } from '../../../once/journal/journal.ts';
import { endpoint } from '../../../once/wire/flight.ts';
import type { Probe, ProxyInEnv } from '../../../once/wire/probe.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { balanceText } from '../../say/balance.ts';
import * as say from '../../say/doctor.ts';
import {
  type Advice,
  addressAnswers,
  addressFails,
  certificateEnds,
  certificateUntil,
  checkTheAddress,
  checkTheProxy,
  clockAgainstService,
  clockBehindJournal,
  clockNotCompared,
  endsWithApiPath,
  lookCloser,
  messagesOnly,
  nodeVersion,
  proxyNotUsed,
  setTheClock,
  uncheckedCertificates,
  untestedNode,
  wholeSandbox,
} from '../../say/doctor.ts';
import { inWords } from '../../say/inWords.ts';
import { notAProxy, proxyHint, unreadableProxy } from '../../say/machine.ts';
import { iso, type Suggestion } from '../../say/phrases.ts';
import type { Told } from '../../say/told.ts';
import { adviceOn, troubleWords } from '../../say/trouble.ts';
import { balanceTimeoutMs } from '../balance/run.ts';
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

export function warn(check: string, advice: Advice): Finding {
  return { check, level: 'warn', ...advice };
}

export function fail(check: string, advice: Advice): Finding {
  return { check, level: 'fail', ...advice };
}

/** Turns a failure into a finding. It need not say that nothing was sent: the doctor sends no message and no payment. */
export function failed(check: string, failure: Told): Finding {
  const says = failure.message;
  const { hint, next = [] } = failure.details;
  if (hint === undefined) return fail(check, { says, ...lookCloser });
  return fail(check, { says, todo: hint, ...(next.length === 0 ? {} : { next }) });
}

export function inOrder(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level !== 'fail');
}

/** The Node majors that botctl is tested on. Older ones fail before this code runs. */
const testedMajors = [20, 22, 24, 26];

export function engineFinding(engine: ReturnType<typeof engineVersion>): Finding {
  return 'bun' in engine ? ok('node', say.bunInside(engine.bun)) : nodeFinding(engine.node);
}

export function nodeFinding(version: string): Finding {
  const number = version.replace(/^v/u, '');
  if (testedMajors.includes(Number.parseInt(number, 10))) return ok('node', nodeVersion(number));
  return warn('node', untestedNode(number, testedMajors));
}

/** Tries the token with a message that has no conversation and no content: the service must refuse it. */
export async function tokenFinding(
  bot: Bot,
  mayAsk: boolean,
  timeoutMs: number,
  context: Context,
): Promise<Finding> {
  const { tokenSource } = bot;
  if (!mayAsk) return ok('token', say.tokenNotTried(tokenSource));
  const connection = connectionTo(bot, channelOptions(context, false));
  try {
    const shipment = { url: endpoint(bot.spelledUrl, 'message'), token: bot.token, body: Buffer.from('{}') };
    const limits = { timeoutMs, cut: context.interrupts.first, door: () => undefined };
    const flight = await context.display.waiting(say.tryingToken, connection.channel.fly(shipment, limits));
    const status = flight.came === 'reply' ? flight.status : undefined;
    if (status === 401) return fail('token', say.tokenRefused(bot));
    if (status === 400 || status === 404 || status === 422) return ok('token', say.tokenTaken(tokenSource));
    return warn('token', status === 403 ? say.mayNotSend(tokenSource) : say.tokenOpen(tokenSource, status));
  } finally {
    await connection.close();
  }
}

/** Why Solana's programs do not run here. Without them the sandbox offers messages only. */
export type SandboxTrouble = { readonly message: string; readonly hint: string };

export function sandboxFinding(trouble: SandboxTrouble | undefined): Finding {
  if (trouble === undefined) return ok('sandbox', wholeSandbox);
  return warn('sandbox', { says: messagesOnly(trouble.message), todo: trouble.hint });
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
  if (!found.reached || found.speaksOther) {
    const advice = adviceOn(found.trouble);
    const check = proxy?.used ? checkTheProxy(shownOf(proxy)) : checkTheAddress;
    return fail('address', {
      says: addressFails(baseUrl, found.reached, found.trouble && troubleWords(found.trouble)),
      todo: advice === undefined ? check : `${advice}.`,
    });
  }
  const url = withoutApiPath(baseUrl);
  if (url !== undefined) return fail('address', endsWithApiPath(baseUrl, url));
  const { tls } = found;
  const says = addressAnswers(baseUrl, tls?.protocol);
  if (tls?.validToMs === undefined) return ok('address', says);
  return tls.validToMs - nowMs < soonDays * dayMs
    ? warn('address', certificateEnds(says, tls.validToMs))
    : ok('address', certificateUntil(says, tls.validToMs));
}

export function proxyFinding(proxy: ProxyFacts | undefined): Finding {
  if (proxy === undefined) return ok('proxy', 'none');
  if (proxy.bad !== undefined) return fail('proxy', { says: notAProxy(proxy.bad), todo: proxyHint });
  return ok('proxy', proxy.used ? shownOf(proxy) : proxyNotUsed(shownOf(proxy)));
}

function shownOf({ shown }: ProxyFacts): string {
  return shown ?? unreadableProxy;
}

export function insecureTlsFinding(env: Readonly<Record<string, string | undefined>>): Finding[] {
  return env.NODE_TLS_REJECT_UNAUTHORIZED === '0' ? [fail('tls', uncheckedCertificates)] : [];
}

/** Compares the service's clock with this one, and this one with the times in the journal. */
export function clockFinding(
  found: Pick<Probe, 'clock' | 'reached' | 'trouble'> | undefined,
  latestInJournalMs: number | undefined,
  nowMs: number,
): Finding {
  if (latestInJournalMs !== undefined && latestInJournalMs - nowMs > tooFarMs) {
    return fail('clock', clockBehindJournal(latestInJournalMs));
  }
  const hasReplied = found?.reached === true && found.trouble === undefined;
  if (found?.clock === undefined) return warn('clock', clockNotCompared(hasReplied));
  const { clock } = found;
  const aheadMs = clock.oursMs - clock.theirsMs;
  const says = clockAgainstService(aheadMs);
  const advice = { says, todo: setTheClock };
  if (Math.abs(aheadMs) > tooFarMs) return fail('clock', advice);
  return Math.abs(aheadMs) > noticedMs ? warn('clock', advice) : ok('clock', says);
}

/** What exists at the journal's path. */
export type JournalFacts =
  | {
      readonly is: 'there';
      readonly look: JournalLook;
      readonly mark: RowNumbers | undefined;
      readonly disk: Disk;
    }
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
        ...(facts.look.isJournal ? [markFinding(path, facts.mark), ...intentFindings(facts.look)] : []),
        ...diskFindings(facts.disk),
      ];
  }
}

function absentFinding(path: string, folder: string, { trouble }: Disk): Finding {
  return trouble === undefined
    ? ok('journal', say.noJournalYet(path))
    : fail('journal', say.folderNotWritable(folder, trouble));
}

/** The mark says what was ever committed. A journal that holds less is refused before this check. */
function markFinding(path: string, mark: RowNumbers | undefined): Finding {
  return mark === undefined ? warn('mark', say.noMarkYet(path)) : ok('mark', say.holdsAll(mark));
}

function diskFindings({ kind }: Disk): Finding[] {
  return kind === undefined ? [] : [warn('disk', say.disks[kind])];
}

function fileFinding(path: string, look: JournalLook, { trouble }: Disk): Finding {
  const { check, version, knownVersion, mode, syncsFully, movedTo } = look;
  if (!look.isJournal) return fail('journal', say.notAJournal(path));
  if (check.length !== 1 || check[0] !== 'ok') return fail('journal', say.isDamaged(path, check));
  if (version > knownVersion) return fail('journal', say.isNewer(path, version, knownVersion));
  if (movedTo !== undefined) return fail('journal', say.wasMoved(path, movedTo));
  if (!syncsFully) return fail('journal', say.notDurable);
  if (trouble !== undefined) return fail('journal', say.readOnlyJournal(path, trouble));
  if (mode !== 'wal') return warn('journal', say.notWal(path, mode));
  return ok('journal', say.soundJournal(path, version, knownVersion));
}

type IntentsLook = Pick<JournalLook, 'counts' | 'waiting'> & {
  readonly oldestUnknown: Pick<Intent, 'id' | 'mayHaveLandedAtMs' | 'createdAtMs'> | undefined;
};

export function intentFindings({ counts, waiting, oldestUnknown: oldest }: IntentsLook): Finding[] {
  const says = say.statesInAList(
    states.flatMap((state) => (counts[state] ? [[state, counts[state]] as const] : [])),
    waiting,
  );
  if ((counts.unknown ?? 0) > 0 || oldest !== undefined) {
    const since = oldest && { id: oldest.id, since: iso(oldest.mayHaveLandedAtMs ?? oldest.createdAtMs) };
    return [warn('intents', say.someUnknown(says, since))];
  }
  return [counts.held ? warn('intents', say.someHeld(says)) : ok('intents', says)];
}

/** Asks the profile's nodes whether cluster, mints and wallet belong together, and what the wallet holds. */
export async function chainFindings(
  bot: Pick<Bot, 'name' | 'chain' | 'settings'>,
  given: ParsedArgs,
  context: Context,
): Promise<readonly Finding[]> {
  const { name, chain } = bot;
  if (chain === undefined) return name === envBot ? [] : [ok('chain', say.noNode)];
  const { timeoutMs = balanceTimeoutMs } = settingsOf(given);
  let opened: OpenedChain;
  try {
    opened = await openChain(bot, given, context, { timeoutMs });
  } catch (thrown) {
    return [failed('chain', await inWords(thrown))];
  }
  try {
    return await context.display.waiting(say.askingNode, findingsOf(name, chain, opened));
  } finally {
    await opened.close();
  }
}

/** All is asked at once. What a node of another cluster says is not shown. */
async function findingsOf(name: string, chain: ChainProfile, { nodes }: OpenedChain): Promise<Finding[]> {
  const [other, ...rest] = await Promise.all([
    nodes.ofAnother(),
    ...Object.entries(chain.assets).map(async ([asset, mint]): Promise<Finding[]> => {
      const isMint = await nodes.isMint(mint);
      if (isMint === undefined) return [warn('mint', say.mintUnknown(asset))];
      return isMint ? [] : [fail('mint', say.notTheMint(asset, mint, name))];
    }),
    walletFindings(name, chain, nodes),
  ]);
  const { cluster } = chain;
  if (other?.because === 'other-cluster')
    return [fail('chain', say.notOfCluster(name, other.host, cluster.name))];
  if (other !== undefined) return [warn('chain', say.nodeSilent(other.host, other.because))];
  return [ok('chain', say.nodesOfCluster(nodes.hosts, cluster.name)), ...rest.flat()];
}

async function walletFindings(
  name: string,
  { wallet, assets, cluster }: ChainProfile,
  nodes: OpenedChain['nodes'],
): Promise<Finding[]> {
  if (wallet === undefined) return [ok('wallet', say.noWalletNamed)];
  const wanted = [{ asset: 'SOL' }, ...Object.entries(assets).map(([asset, mint]) => ({ asset, mint }))];
  const [owner, holdings] = await Promise.all([nodes.ownerOf(wallet), nodes.holdings(wallet, wanted)]);
  if (owner !== undefined && isTokenProgram(owner)) return [fail('wallet', say.notAWallet(name, wallet))];
  if (owner !== undefined && owner !== 'none' && owner !== systemProgram)
    return [warn('wallet', say.ownedByProgram(wallet, owner))];
  const text = balanceText({ is: 'asked', hosts: nodes.hosts, holdings });
  const isUnknown = holdings.some(({ held }) => 'because' in held);
  if (isUnknown) return [warn('balance', say.balanceUncertain(text))];
  const isEmpty = holdings.every(({ held }) => 'units' in held && held.units === 0n);
  return [isEmpty ? warn('balance', say.emptyWallet(wallet, cluster.name)) : ok('balance', text)];
}
