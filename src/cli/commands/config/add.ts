import { RpcUrl } from '../../../once/chain/cluster.ts';
import { type Bot, connectionTo } from '../../../once/connection.ts';
import { type Exit, Failure } from '../../../once/failures.ts';
import { parseBaseUrl } from '../../../once/intent/baseUrl.ts';
import { endpoint } from '../../../once/wire/flight.ts';
import type { ProxyInEnv } from '../../../once/wire/probe.ts';
import { addProfile, changeProfiles, checkFree, setChainKey, setRpcUrl } from '../../bot/changeProfiles.ts';
import { readWallet } from '../../bot/profileBot.ts';
import { findProfile, type ProfilesFile, readProfiles } from '../../bot/profiles.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import {
  anotherInUse,
  noProfileUrl,
  notReady,
  notReadyBecause,
  profileAdded,
  profileReady,
  skippable,
  tokenTried,
  tryingToken,
  walletQuestion,
} from '../../say/config.ts';
import { inWords } from '../../say/inWords.ts';
import { rpcUrlAsArgument, rpcUrlQuestion, theCommandLine, theTerminal } from '../../say/open.ts';
import type { Finding } from '../doctor/findings.ts';
import { botInputs, channelOptions } from '../openBot.ts';
import { givenSource } from './edit.ts';
import { profilesPathsOf, profileView, summaryOf } from './show.ts';

export async function add(given: ParsedArgs, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const { env, display, interrupts } = context;
  const paths = profilesPathsOf(context);
  checkFree(readProfiles(paths), name);
  const baseUrl = parseBaseUrl(requiredUrl(given), '--base-url');
  const settings = {
    timeout: given.text('timeout'),
    retries: given.text('retries'),
    'max-wait': given.text('max-wait'),
  };
  // Somebody sets it up by hand. A script may add a profile for another machine.
  const isByHand = display.terminal() === 'foreground' && !given.flag('yes');
  const inChain = givenChain(name, given);
  const source = await givenSource(name, given, context);
  const asked = isByHand && isTyped(context) ? await askedChain(name, given, context) : {};
  const profile = { baseUrl, source, settings, use: given.flag('use') };
  const file = await changeProfiles(
    paths,
    (before) => inChain(addProfile(before, name, profile), asked),
    interrupts.first,
  );
  const summary = summaryOf(file, name, findProfile(file, name), env);
  await display.show(profileView(given.command, summary, { headline: profileAdded(name) }));
  if (!summary.inUse) display.notice(...anotherInUse(name));
  if (isByHand) tell(name, await tryProfile(name, given, context), context);
  return 0;
}

/** The stored URL must not depend on what is in the environment today. */
function requiredUrl(given: ParsedArgs): string {
  const url = given.text('base-url');
  if (url === undefined) throw noProfileUrl();
  return url;
}

/** The next lines of a pipe or a pasted script are no answers. */
function isTyped({ stdin }: Pick<Context, 'stdin'>): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true;
}

type ChainTexts = { readonly rpcUrl?: string | undefined; readonly wallet?: string | undefined };

/** Adds what the options say, and what was answered, about the chain. What cannot be right is refused at once. */
function givenChain(
  name: string,
  given: ParsedArgs,
): (file: ProfilesFile, asked: ChainTexts) => ProfilesFile {
  const url = given.text('rpc-url');
  if (url !== undefined && !RpcUrl.from(url, theCommandLine).isPlain) throw rpcUrlAsArgument('add');
  return (file, asked) => {
    let changed = file;
    const secret = url ?? asked.rpcUrl;
    if (secret !== undefined) changed = setRpcUrl(changed, name, { kind: 'stored', secret }, false);
    for (const key of ['cluster', 'wallet', 'assets'] as const) {
      const text = given.text(key) ?? (key === 'wallet' ? asked.wallet : undefined);
      if (text !== undefined) changed = setChainKey(changed, name, key, text);
    }
    return changed;
  };
}

async function askedChain(name: string, given: ParsedArgs, context: Context): Promise<ChainTexts> {
  const { display } = context;
  const rpcUrl =
    given.text('rpc-url') === undefined
      ? await untilValid(
          () => display.askHidden(skippable(rpcUrlQuestion(name))),
          (text) => RpcUrl.from(text, theTerminal),
          context,
        )
      : undefined;
  if (given.text('wallet') !== undefined) return { rpcUrl };
  const ask = (): Promise<string> => display.askLine(skippable(walletQuestion(name)));
  return { rpcUrl, wallet: await untilValid(ask, readWallet, context) };
}

/** The answer, once it is valid. An empty one skips the question. */
async function untilValid(
  ask: () => Promise<string>,
  check: (text: string) => unknown,
  { display }: Context,
): Promise<string | undefined> {
  for (;;) {
    const text = (await ask()).trim();
    if (text === '') return undefined;
    try {
      check(text);
      return text;
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      display.warn((await inWords(thrown)).message);
    }
  }
}

/** Tries the service, the token and the node. A profile that is not ready yet is kept all the same. */
async function tryProfile(name: string, given: ParsedArgs, context: Context): Promise<readonly Finding[]> {
  const { botAtOwnUrl, chainAtProfile } = await import('../../bot/profileBot.ts');
  const { chainFindings } = await import('../doctor/findings.ts');
  const { failed } = await import('../doctor/findings.ts');
  const inputs = botInputs(context);
  let bot: Bot | undefined;
  let service: readonly Finding[];
  try {
    bot = await botAtOwnUrl(name, inputs);
    service = bot === undefined ? [] : await serviceFindings(bot, context);
  } catch (thrown) {
    service = [failed('token', await inWords(thrown))];
  }
  const onChain = bot ?? chainAtProfile(name, inputs);
  return [...service, ...(onChain === undefined ? [] : await chainFindings(onChain, given, context))];
}

const tryTimeoutMs = 5_000;

async function serviceFindings(bot: Bot, context: Context): Promise<readonly Finding[]> {
  const { addressFinding, proxyFinding } = await import('../doctor/findings.ts');
  const { probeOf, proxyOf } = await import('../doctor/run.ts');
  const proxy: ProxyInEnv | undefined = await proxyOf(bot.spelledUrl, context);
  const used = proxy && { ...proxy, used: proxy.server !== undefined };
  const url = proxy?.bad === undefined ? bot.spelledUrl : undefined;
  const probed = await probeOf(url, proxy?.server, tryTimeoutMs, context);
  if (probed === undefined) return [proxyFinding(used)];
  const address = addressFinding(bot.spelledUrl, probed, used, context.clock.now());
  return address.level === 'fail' ? [address] : [address, await tokenFinding(bot, context)];
}

/** Sends a message without a conversation and without content: the service must refuse it, and says whose it was. */
async function tokenFinding(bot: Bot, context: Context): Promise<Finding> {
  const { fail, ok, warn } = await import('../doctor/findings.ts');
  const connection = connectionTo(bot, channelOptions(context, false));
  try {
    const shipment = { url: endpoint(bot.spelledUrl, 'message'), token: bot.token, body: Buffer.from('{}') };
    const limits = { timeoutMs: tryTimeoutMs, cut: context.interrupts.first, door: () => undefined };
    const flight = await context.display.waiting(tryingToken, connection.channel.fly(shipment, limits));
    const tried = tokenTried(bot.name, flight.came === 'reply' ? flight.status : undefined);
    if (tried.is === 'taken') return ok('token', tried.says);
    return tried.is === 'refused' ? fail('token', tried) : warn('token', tried);
  } finally {
    await connection.close();
  }
}

/** Ends with one line: ready, or what is not. */
function tell(name: string, findings: readonly Finding[], { display }: Context): void {
  for (const { level, check, says, todo = '', next = [] } of findings)
    if (level !== 'ok') display.warn(notReadyBecause(check, says, todo), next);
  const failing = findings.flatMap(({ level, check }) => (level === 'fail' ? [check] : []));
  display.notice(failing.length === 0 ? profileReady(name) : notReady(name, failing));
}
