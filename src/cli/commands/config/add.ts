import { RpcUrl } from '../../../once/chain/cluster.ts';
import { type Exit, Failure } from '../../../once/failures.ts';
import { parseBaseUrl, withoutApiPath } from '../../../once/intent/baseUrl.ts';
import { addProfile, changeProfiles, checkFree, setChainKey, setRpcUrl } from '../../bot/changeProfiles.ts';
import { readWallet } from '../../bot/profileBot.ts';
import { type ProfilesFile, readProfiles } from '../../bot/profiles.ts';
import { type Context, globalNames, ParsedArgs } from '../../parse/command.ts';
import type { AddArgs } from '../../parse/setUpSpecs.ts';
import { endsWithApiPath } from '../../say/config.ts';
import { inWords } from '../../say/inWords.ts';
import { rpcUrlAsArgument, rpcUrlQuestion, theCommandLine, theTerminal } from '../../say/open.ts';
import { listed } from '../../say/phrases.ts';
import { sentence, told } from '../../say/told.ts';
import { card, under } from '../../show/card.ts';
import type { Finding } from '../doctor/findings.ts';
import { givenSource } from './edit.ts';
import { profileFacts, profilesPathsOf } from './show.ts';

export async function add(given: AddArgs, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const { env, display, interrupts } = context;
  const paths = profilesPathsOf(context);
  checkFree(readProfiles(paths), name);
  const baseUrl = parseBaseUrl(requiredUrl(given), '--base-url');
  const settings = {
    timeout: given.text('timeout'),
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
  const facts = under('profile', profileFacts(file, name, env));
  await display.show(card(given.command, `Added profile ${name}.`, facts, name));
  if (file['in-use'] !== name)
    display.notice('Another profile is in use. To use this one:', [['config', 'use', name]]);
  const without = withoutApiPath(baseUrl);
  if (isByHand) tell(name, await findingsOn(name, given, context), context);
  else if (without !== undefined) warnOfPath(baseUrl, without, context);
  return 0;
}

/** The stored URL must not depend on what is in the environment today. */
function requiredUrl(given: ParsedArgs): string {
  const url = given.text('base-url');
  if (url === undefined)
    throw told('usage')`A profile needs --base-url
      Add it, as in --base-url https://bots.example.com. BOTCTL_BASE_URL is not stored in a profile.`;
  return url;
}

/** The next lines of a pipe or a pasted script are no answers. */
function isTyped({ stdin }: Pick<Context, 'stdin'>): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true;
}

type ChainTexts = { readonly rpcUrl?: string | undefined; readonly wallet?: string | undefined };

/** Adds what the options say, and what was answered, about the chain. What cannot be right is refused at once. */
function givenChain(name: string, given: AddArgs): (file: ProfilesFile, asked: ChainTexts) => ProfilesFile {
  const url = given.text('rpc-url');
  if (url !== undefined && !RpcUrl.from(url, theCommandLine).isPlain) throw rpcUrlAsArgument('add');
  return (file, asked) => {
    let changed = file;
    const secret = url ?? asked.rpcUrl;
    if (secret !== undefined) changed = setRpcUrl(changed, name, { kind: 'stored', secret });
    for (const key of ['cluster', 'wallet', 'assets'] as const) {
      const text = given.text(key) ?? (key === 'wallet' ? asked.wallet : undefined);
      if (text !== undefined) changed = setChainKey(changed, name, key, text);
    }
    return changed;
  };
}

async function askedChain(name: string, given: AddArgs, context: Context): Promise<ChainTexts> {
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
  const ask = (): Promise<string> => display.askLine(skippable(`wallet of ${name}`));
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

/** What the doctor finds with this profile. One that is not ready yet is kept all the same. */
async function findingsOn(name: string, given: ParsedArgs, context: Context): Promise<readonly Finding[]> {
  const { examine } = await import('../doctor/run.ts');
  const profile = { name: 'profile', value: name };
  const kept = given.occurrences.filter((one) => one.name === 'journal' || one.name === 'timeout');
  try {
    return await examine(new ParsedArgs('doctor', [], [...kept, profile], globalNames), context);
  } catch (thrown) {
    const { failed } = await import('../doctor/findings.ts');
    return [failed('journal', await inWords(thrown))];
  }
}

function warnOfPath(baseUrl: string, without: string, { display }: Context): void {
  const { message, hint } = endsWithApiPath(baseUrl, without);
  display.warn(`${message}. ${hint}`);
}

/** Ends with one line: ready, or what is not. */
function tell(name: string, findings: readonly Finding[], { display }: Context): void {
  for (const { level, check, says, todo = '', next = [] } of findings)
    if (level !== 'ok') display.warn([sentence(`${check}: ${says}`), todo].join(' ').trimEnd(), next);
  const failing = findings.flatMap(({ level, check }) => (level === 'fail' ? [check] : []));
  display.notice(
    failing.length === 0 ? `${name} is ready.` : `${name} is not ready: ${listed([...new Set(failing)])}.`,
  );
}

const skippable = (question: string): string => `${question}, Enter skips`;
