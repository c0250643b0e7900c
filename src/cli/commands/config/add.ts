import { resolve } from 'node:path';
import { RpcUrl } from '../../../chain/cluster.ts';
import { parseBaseUrl } from '../../../once/entry/baseUrl.ts';
import { type Exit, failureWith } from '../../../once/failures.ts';
import { listed } from '../../../once/phrases.ts';
import { withFullStop } from '../../../once/sentence.ts';
import type { App } from '../../app.ts';
import { addProfile, changeProfiles, checkFree } from '../../bot/changeProfiles.ts';
import { parseAssets } from '../../bot/chooseBot.ts';
import { type ProfileRecord, readProfiles } from '../../bot/profiles.ts';
import { profileOfSandbox, sandboxPort } from '../../bot/sandboxProfile.ts';
import { Args, globalNames } from '../../parse/args.ts';
import { card, under } from '../../show/card.ts';
import { rpcUrlAsArgument, theCommandLine } from '../../wording/open.ts';
import type { Finding } from '../doctor.ts';
import type { AddArgs } from './config.spec.ts';
import { givenSource, warnOfPolicy, waysGiven } from './edit.ts';
import { profileFacts, profilesPathsOf } from './show.ts';

export async function add(app: App<AddArgs>): Promise<Exit> {
  const [name = ''] = app.args.words;
  const { env, display } = app;
  const paths = profilesPathsOf(app);
  checkFree(readProfiles(paths), name);
  const profile = await wantedProfile(name, app);
  const file = await changeProfiles(paths, (before) =>
    addProfile(before, name, profile, app.args.flag('use')),
  );
  app.doing.hasChanged = true;
  const facts = under('profile', profileFacts(file, name, env));
  await display.show(card(app.args.command, `Added profile ${name}.`, facts, name));
  if (file['in-use'] !== name)
    display.notice('Another profile is in use. To use this one:', [['config', 'use', name]]);
  if (profile.policy !== undefined) await warnOfPolicy(profile.policy, app);
  // Test the profile only if a person adds it. A script may add a profile for another machine.
  if (display.terminal() === 'foreground' && !app.args.flag('yes'))
    tell(name, await findingsOn(name, app), app);
  return 0;
}

/** The profile from the options. With --sandbox, the running sandbox gives the rest. */
async function wantedProfile(name: string, app: App<AddArgs>): Promise<ProfileRecord> {
  const node = app.args.text('rpc-url');
  if (node !== undefined && !RpcUrl.from(node, theCommandLine).isPlain) throw rpcUrlAsArgument('add');
  const policy = app.args.text('policy');
  const assets = app.args.all('assets');
  const sandbox = app.args.flag('sandbox')
    ? await profileOfSandbox(
        app.args.text('base-url') ?? `http://127.0.0.1:${sandboxPort}`,
        app.interrupts.first,
      )
    : undefined;
  const isTokenKnown = sandbox !== undefined && waysGiven(app.args).length === 0;
  return {
    'base-url': sandbox?.['base-url'] ?? parseBaseUrl(requiredUrl(app.args), '--base-url'),
    token: isTokenKnown ? sandbox.token : await givenSource(name, app),
    timeout: app.args.text('timeout'),
    'max-wait': app.args.text('max-wait'),
    policy: policy && resolve(policy),
    'rpc-url': node === undefined ? sandbox?.['rpc-url'] : { kind: 'stored', secret: node },
    cluster: app.args.text('cluster') ?? sandbox?.cluster,
    wallet: app.args.text('wallet') ?? sandbox?.wallet,
    assets: assets.length === 0 ? sandbox?.assets : parseAssets(assets.join(',')),
  };
}

/** The stored URL must not depend on today's environment. */
function requiredUrl(args: Args): string {
  const url = args.text('base-url');
  if (url === undefined)
    throw failureWith('usage')`A profile needs --base-url
      Add it, as in --base-url https://bots.example.com. BOTCTL_BASE_URL is not stored in a profile.`;
  return url;
}

/** The doctor's findings on this profile. A profile that is not ready is still kept. */
async function findingsOn(name: string, app: App): Promise<readonly Finding[]> {
  const { examine } = await import('../doctor.ts');
  const profile = { name: 'profile', value: name };
  const kept = app.args.occurrences.filter((one) => one.name === 'journal' || one.name === 'timeout');
  return examine(app.as(new Args('doctor', [], [...kept, profile], globalNames)));
}

/** Warns of each finding, then says whether the profile is ready or which checks fail. */
function tell(name: string, findings: readonly Finding[], { display }: App): void {
  for (const { level, check, says, todo = '', next = [] } of findings)
    if (level !== 'ok') display.warn([withFullStop(`${check}: ${says}`), todo].join(' ').trimEnd(), next);
  const failing = findings.flatMap(({ level, check }) => (level === 'fail' ? [check] : []));
  display.notice(
    failing.length === 0 ? `${name} is ready.` : `${name} is not ready: ${listed([...new Set(failing)])}.`,
  );
}
