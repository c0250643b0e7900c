import { resolve } from 'node:path';
import { RpcUrl } from '../../../chain/cluster.ts';
import { parseBaseUrl } from '../../../once/entry/baseUrl.ts';
import { type Exit, told } from '../../../once/failures.ts';
import { listed } from '../../../once/phrases.ts';
import { sentence } from '../../../once/says.ts';
import { addProfile, changeProfiles, checkFree } from '../../bot/changeProfiles.ts';
import { parseAssets } from '../../bot/chooseBot.ts';
import { type ProfileRecord, readProfiles } from '../../bot/profiles.ts';
import { profileOfSandbox, sandboxPort } from '../../bot/sandboxProfile.ts';
import { type Context, globalNames, ParsedArgs } from '../../parse/command.ts';
import type { AddArgs } from '../../parse/setUpSpecs.ts';
import { rpcUrlAsArgument, theCommandLine } from '../../say/open.ts';
import { card, under } from '../../show/card.ts';
import type { Finding } from '../doctor.ts';
import { givenSource, warnOfPolicy, waysGiven } from './edit.ts';
import { profileFacts, profilesPathsOf } from './show.ts';

export async function add(given: AddArgs, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const { env, display } = context;
  const paths = profilesPathsOf(context);
  checkFree(readProfiles(paths), name);
  const profile = await wantedProfile(name, given, context);
  const file = await changeProfiles(paths, (before) => addProfile(before, name, profile, given.flag('use')));
  context.doing.hasChanged = true;
  const facts = under('profile', profileFacts(file, name, env));
  await display.show(card(given.command, `Added profile ${name}.`, facts, name));
  if (file['in-use'] !== name)
    display.notice('Another profile is in use. To use this one:', [['config', 'use', name]]);
  if (profile.policy !== undefined) await warnOfPolicy(profile.policy, context);
  // Somebody sets it up by hand. A script may add a profile for another machine.
  if (display.terminal() === 'foreground' && !given.flag('yes'))
    tell(name, await findingsOn(name, given, context), context);
  return 0;
}

/** What the options say; the rest of a profile for the sandbox is asked of the one that runs. */
async function wantedProfile(name: string, given: AddArgs, context: Context): Promise<ProfileRecord> {
  const node = given.text('rpc-url');
  if (node !== undefined && !RpcUrl.from(node, theCommandLine).isPlain) throw rpcUrlAsArgument('add');
  const policy = given.text('policy');
  const assets = given.all('assets');
  const sandbox = given.flag('sandbox')
    ? await profileOfSandbox(
        given.text('base-url') ?? `http://127.0.0.1:${sandboxPort}`,
        context.interrupts.first,
      )
    : undefined;
  const isTokenKnown = sandbox !== undefined && waysGiven(given).length === 0;
  return {
    'base-url': sandbox?.['base-url'] ?? parseBaseUrl(requiredUrl(given), '--base-url'),
    token: isTokenKnown ? sandbox.token : await givenSource(name, given, context),
    timeout: given.text('timeout'),
    'max-wait': given.text('max-wait'),
    policy: policy && resolve(policy),
    'rpc-url': node === undefined ? sandbox?.['rpc-url'] : { kind: 'stored', secret: node },
    cluster: given.text('cluster') ?? sandbox?.cluster,
    wallet: given.text('wallet') ?? sandbox?.wallet,
    assets: assets.length === 0 ? sandbox?.assets : parseAssets(assets.join(',')),
  };
}

/** The stored URL must not depend on what is in the environment today. */
function requiredUrl(given: ParsedArgs): string {
  const url = given.text('base-url');
  if (url === undefined)
    throw told('usage')`A profile needs --base-url
      Add it, as in --base-url https://bots.example.com. BOTCTL_BASE_URL is not stored in a profile.`;
  return url;
}

/** What the doctor finds with this profile. One that is not ready yet is kept all the same. */
async function findingsOn(name: string, given: ParsedArgs, context: Context): Promise<readonly Finding[]> {
  const { examine } = await import('../doctor.ts');
  const profile = { name: 'profile', value: name };
  const kept = given.occurrences.filter((one) => one.name === 'journal' || one.name === 'timeout');
  return examine(new ParsedArgs('doctor', [], [...kept, profile], globalNames), context);
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
