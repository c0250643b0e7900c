import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bot, sandboxBot } from '../../../once/connection.ts';
import type { BaseUrl } from '../../../once/intent/baseUrl.ts';
import type { JournalLook } from '../../../once/journal/file/lookOnly.ts';
import type { Probe, ProxyInEnv } from '../../../once/wire/probe.ts';
import type { Address } from '../../../postgres/address.ts';
import { type ChainBot, knownBot } from '../../bot/chooseBot.ts';
import { profileOf, profilesPaths, readProfiles } from '../../bot/profiles.ts';
import type { Context, ParsedArgs, Run } from '../../parse/command.ts';
import { version } from '../../parse/command.ts';
import { inWords } from '../../say/inWords.ts';
import { startingSandbox } from '../../say/open.ts';
import { troubleInWords, withLacking } from '../../say/phrases.ts';
import type { Canvas, Paint, View } from '../../show/display.ts';
import { pad, type WidthOf, widthsFor, wrapTo } from '../../show/table.ts';
import { safeLine } from '../../show/text.ts';
import { botInputs, botOfCommand, botOptions, chainOfSandbox, refuseBesideSandbox } from '../openBot.ts';
import {
  type JournalLocation,
  journalLocation,
  sandboxFolder,
  settingsOf,
  withServer,
} from '../openJournal.ts';
import {
  addressFinding,
  chainFindings,
  clockFinding,
  engineFinding,
  type Finding,
  failed,
  inOrder,
  insecureTlsFinding,
  type JournalFacts,
  journalFindings,
  ok,
  proxyFinding,
  type SandboxTrouble,
  sandboxFinding,
  tokenFinding,
} from './findings.ts';

/** The bot's service, and what can be learned about it without sending. */
type BotFacts = {
  readonly url: string | undefined;
  readonly direct: boolean;
  readonly findings: readonly Finding[];
  /** With its token, which can be tried. */
  readonly opened?: Bot;
  /** Undefined if there is no such profile. */
  readonly bot: Pick<ChainBot, 'name' | 'chain' | 'settings'> | undefined;
  close(): Promise<void>;
};

const probeTimeoutMs = 5_000;

/** Checks that people know under another name than --json gives them. */
const checkNames: Readonly<Record<string, string>> = {
  intents: 'entries',
  note: 'losses',
};

export const run: Run = async (given, context) => {
  const findings = await examine(given, context);
  const widthOf = await widthsFor(
    findings.flatMap(({ says, todo }) => [says, todo]).map((text = '') => safeLine(text)),
  );
  await context.display.show(doctorView(given.command, findings, inOrder(findings), widthOf));
  return inOrder(findings) ? 0 : 1;
};

/** Looks at a bot, its service and this machine. Sends no message and no payment. */
export async function examine(given: ParsedArgs, context: Context): Promise<readonly Finding[]> {
  const { display, clock, env } = context;
  const { timeoutMs = probeTimeoutMs } = settingsOf(given);
  if (given.flag('sandbox')) refuseBesideSandbox(given);
  const facts = given.flag('sandbox') ? await sandboxFacts(context) : await botFacts(given, context);
  try {
    const proxy = facts.direct ? undefined : await proxyOf(facts.url, context);
    const probed = await probeOf(proxy?.bad ? undefined : facts.url, proxy?.server, timeoutMs, context);
    const used = proxy && { ...proxy, used: proxy.server !== undefined };
    const location = await journalLocation(given, context);
    const journal = await journalChecked(location, given, context);
    const address = facts.url && probed ? addressFinding(facts.url, probed, used, clock.now()) : undefined;
    const mayAsk = address !== undefined && address.level !== 'fail';
    return [
      engineFinding(process.versions),
      ...facts.findings,
      ...(facts.opened === undefined ? [] : [await tokenFinding(facts.opened, mayAsk, timeoutMs, context)]),
      ...(address === undefined ? [] : [address]),
      proxyFinding(used),
      ...insecureTlsFinding(env),
      clockFinding(probed, journal.latestMs, clock.now()),
      ...(facts.bot === undefined ? [] : await chainFindings(facts.bot, given, context)),
      ...journal.findings,
      sandboxFinding(await display.waiting('Loading the sandbox', chainTrouble())),
    ];
  } finally {
    await facts.close();
  }
}

async function sandboxFacts({ env, display }: Context): Promise<BotFacts> {
  const { openSandbox } = await import('../sandbox.ts');
  const starting = openSandbox({ dataDir: sandboxFolder(env), port: 0 });
  const running = await display.waiting(startingSandbox, starting);
  return {
    url: running.baseUrl,
    direct: true,
    findings: [ok('bot', 'sandbox, the built-in one'), ok('token', 'the sandbox’s own')],
    bot: { name: sandboxBot, settings: {}, chain: chainOfSandbox(running) },
    close: () => running.close(),
  };
}

async function botFacts(given: ParsedArgs, context: Context): Promise<BotFacts> {
  const store = await profilesFinding(context);
  const bot = await knownBot(botOptions(given), botInputs(context)).catch(() => undefined);
  const still = { direct: false, bot, close: async () => {} };
  try {
    const opened = await botOfCommand(given, context);
    return { ...still, opened, url: opened.spelledUrl, findings: [store, ok('bot', opened.name)] };
  } catch (thrown) {
    const failure = await inWords(thrown);
    if (failure.code === 'interrupted' || failure.code === 'bug') throw failure;
    return { ...still, url: urlAnyway(given, context), findings: [store, failed('token', failure)] };
  }
}

async function profilesFinding({ env }: Context): Promise<Finding> {
  const paths = profilesPaths(env);
  try {
    const file = readProfiles(paths);
    const names = Object.keys(file.profiles);
    const inUse = file['in-use'] === undefined ? '' : `, ${file['in-use']} in use`;
    return ok('profiles', names.length === 0 ? 'none' : `${names.length} in ${paths.file}${inUse}`);
  } catch (thrown) {
    return failed('profiles', await inWords(thrown));
  }
}

/** The base URL of a bot whose token is missing. */
function urlAnyway(given: ParsedArgs, { env }: Context): BaseUrl | undefined {
  try {
    const file = readProfiles(profilesPaths(env));
    const name = given.text('profile') ?? env.BOTCTL_PROFILE ?? file['in-use'] ?? '';
    return profileOf(file, name)?.['base-url'] as BaseUrl | undefined;
  } catch {
    return undefined;
  }
}

async function proxyOf(url: string | undefined, { env }: Context): Promise<ProxyInEnv | undefined> {
  const { proxyInEnv } = await import('../../../once/wire/probe.ts');
  return proxyInEnv(url === undefined ? undefined : new URL(url), env);
}

async function probeOf(
  url: string | undefined,
  proxy: ProxyInEnv['server'],
  timeoutMs: number,
  { clock, display }: Context,
): Promise<Probe | undefined> {
  if (url === undefined) return undefined;
  const { probe } = await import('../../../once/wire/probe.ts');
  const { origin } = new URL(url);
  const settings = { origin, proxy, timeoutMs, userAgent: `botctl/${version}`, now: () => clock.now() };
  return display.waiting(`Connecting to ${origin}`, probe(settings));
}

type JournalChecked = { readonly findings: readonly Finding[]; readonly latestMs?: number | undefined };

async function journalChecked(
  location: JournalLocation,
  given: ParsedArgs,
  context: Context,
): Promise<JournalChecked> {
  const checked = await checkedAt(location, given, context);
  if (location.namedBy !== 'journal') return checked;
  const [{ says, ...first }, ...others] = checked.findings as [Finding, ...Finding[]];
  return {
    ...checked,
    findings: [{ ...first, says: `${says} (botctl config journal names it)` }, ...others],
  };
}

async function checkedAt(
  location: JournalLocation,
  given: ParsedArgs,
  context: Context,
): Promise<JournalChecked> {
  if (location.is === 'shared') return { findings: await sharedChecked(location.address, given, context) };
  const facts = await journalFacts(location.path);
  const findings = journalFindings(location.path, facts);
  return facts.is === 'there' ? { findings, latestMs: facts.look.latestMs } : { findings };
}

async function sharedChecked(
  address: Address,
  given: ParsedArgs,
  context: Context,
): Promise<readonly Finding[]> {
  const { sharedFindings, unusableFinding } = await import('./sharedJournal.ts');
  const { lookAtShared } = await import('../../../postgres/upkeep.ts');
  try {
    const looking = withServer(address, given, context, async (shared) => {
      return sharedFindings(shared.place, await lookAtShared(shared));
    });
    return await context.display.waiting('Looking at the journal', looking);
  } catch (thrown) {
    return [unusableFinding(await inWords(thrown))];
  }
}

async function journalFacts(path: string): Promise<JournalFacts> {
  try {
    const { diskKind, findLoss } = await import('../../../once/journal/file/upkeep.ts');
    const { refuseUnusable, sizeOf } = await import('../../../once/journal/file/ownFiles.ts');
    refuseUnusable(path);
    const isEmpty = sizeOf(path) === 0;
    if (isEmpty && !['-wal', '.note'].some((suffix) => existsSync(`${path}${suffix}`))) {
      const folder = nearestFolder(dirname(path));
      const trouble = await writingTroubleAt(join(folder, 'journal.db'), false);
      const disk = { kind: diskKind(folder), trouble };
      return { is: 'none', folder, disk };
    }
    const { lookAtJournal } = await import('../../../once/journal/file/lookOnly.ts');
    const { journalFailure } = await import('../../../once/journal/facts.ts');
    const gone = isEmpty ? findLoss(path) : undefined;
    if (gone !== undefined) throw journalFailure('lost', { path, loss: gone });
    const trouble = await writingTroubleAt(path, true);
    const look = lookAtJournal(path);
    const loss = trouble === undefined && isSound(look) ? findLoss(path) : undefined;
    if (loss !== undefined) throw journalFailure('lost', { path, loss });
    return {
      is: 'there',
      look,
      disk: { kind: diskKind(dirname(path)), trouble },
    };
  } catch (thrown) {
    return { is: 'unreadable', failure: await inWords(thrown) };
  }
}

/** Why the path cannot be written, as part of a sentence. */
async function writingTroubleAt(path: string, isThere: boolean): Promise<string | undefined> {
  const { writingTrouble } = await import('../../../once/journal/file/upkeep.ts');
  const trouble = writingTrouble(path, isThere);
  return trouble && troubleInWords(trouble);
}

function isSound({ check, isJournal, version, knownVersion }: JournalLook): boolean {
  return isJournal && check[0] === 'ok' && version <= knownVersion;
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

async function chainTrouble(): Promise<SandboxTrouble | undefined> {
  const chain = await import('../../../sandbox/chain.ts');
  return chain.chainTrouble();
}

const marks: Readonly<Record<Finding['level'], (paint: Paint) => string>> = {
  ok: (paint) => paint.green('ok  '),
  warn: (paint) => paint.yellow('warn'),
  fail: (paint) => paint.red('fail'),
};

const checkWidth = 8;
const indent = 4 + 2 + checkWidth + 2;

function drawOne({ check, level, says, todo, next = [] }: Finding, canvas: Canvas, widthOf: WidthOf): string {
  const { paint, columns } = canvas;
  const { lines, lacking } = canvas.suggest(next);
  const width = Math.max(20, columns - indent);
  const [first = '', ...rest] = [
    ...wrapTo(safeLine(says), width, widthOf),
    ...(todo === undefined ? [] : wrapTo(`→ ${safeLine(withLacking(todo, { lacking }))}`, width, widthOf)),
    ...lines.map((line) => `  ${safeLine(line)}`),
  ];
  const head = `${marks[level](paint)}  ${paint.bold(pad(checkNames[check] ?? check, checkWidth))}  ${first}`;
  return [head, ...rest.map((line) => ' '.repeat(indent) + line)].map((line) => `${line}\n`).join('');
}

/** Every check with its level, what it found and, if something is wrong, what to do. */
function doctorView(command: string, checks: readonly Finding[], inOrder: boolean, widthOf: WidthOf): View {
  return {
    json: { schema: 'botctl/1', command, in_order: inOrder, checks },
    human: (canvas) => checks.map((check) => drawOne(check, canvas, widthOf)).join(''),
    quiet: inOrder ? 'ok' : 'fail',
  };
}
