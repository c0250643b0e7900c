import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { doctorView } from '../display/doctorView.ts';
import { type Finding, failed, inOrder, ok } from '../doctor/finding.ts';
import { type JournalFacts, journalFindings } from '../doctor/journal.ts';
import { nodeFinding, sandboxFinding } from '../doctor/machine.ts';
import { addressFinding, clockFinding, insecureTlsFinding, proxyFinding } from '../doctor/network.ts';
import { asFailure } from '../errors.ts';
import { type BaseUrl, originOf } from '../intent/baseUrl.ts';
import { readProfiles, storePlace } from '../profile/store.ts';
import { version } from '../version.ts';
import type { Probe } from '../wire/probe.ts';
import type { ProxyInEnv } from '../wire/proxyInEnv.ts';
import { journalPath, sandboxFolder } from './journalPlace.ts';
import { sayIfSlow } from './sayIfSlow.ts';
import { refuseBesideSandbox, settingsOf, speakerWorld, waitingForToken } from './session.ts';

/** Where the bot speaks, and what is to be said of how it speaks. */
type Voice = {
  readonly url: string | undefined;
  readonly direct: boolean;
  readonly findings: readonly Finding[];
  close(): Promise<void>;
};

const probeTimeoutMs = 5_000;

export const run: Run = async (given, context) => {
  const { display, clock, env } = context;
  const settings = settingsOf(given);
  if (given.flag('sandbox')) refuseBesideSandbox(given);
  const voice = given.flag('sandbox') ? await sandboxVoice(context) : await speakersVoice(given, context);
  try {
    const proxy = voice.direct ? undefined : await proxyOf(voice.url, context);
    const probed = await probeOf(
      proxy?.trouble ? undefined : voice.url,
      proxy?.server,
      settings.timeoutMs ?? probeTimeoutMs,
      context,
    );
    const facts = proxy && { ...proxy, used: proxy.server !== undefined };
    const path = journalPath(given, context);
    const journal = await journalFacts(path);
    const latestMs = journal.is === 'there' ? journal.look.latestMs : undefined;
    const findings = [
      nodeFinding(process.version),
      ...voice.findings,
      ...(voice.url && probed ? [addressFinding(voice.url, probed, facts, clock.now())] : []),
      proxyFinding(facts),
      ...insecureTlsFinding(env),
      clockFinding(probed?.clock, latestMs, clock.now()),
      ...journalFindings(path, journal),
      sandboxFinding(await display.waiting('Loading the sandbox', chainTrouble())),
    ];
    await display.show(doctorView(given.command, findings, inOrder(findings)));
    return inOrder(findings) ? 0 : 1;
  } finally {
    await voice.close();
  }
};

async function sandboxVoice({ env, display }: Context): Promise<Voice> {
  const { embeddedAdvice, openSandbox } = await import('./openSandbox.ts');
  const starting = openSandbox({ dataDir: sandboxFolder(env), port: 0 }, embeddedAdvice);
  const running = await display.waiting('Starting the sandbox', starting);
  return {
    url: running.baseUrl,
    direct: true,
    findings: [ok('bot', 'sandbox, the built-in one'), ok('token', 'the sandbox’s own')],
    close: () => running.close(),
  };
}

async function speakersVoice(given: Given, context: Context): Promise<Voice> {
  const store = profilesFinding(context);
  const still = { direct: false, close: async () => {} };
  try {
    const { resolveSpeaker } = await import('../profile/speaker.ts');
    const asked = {
      profile: given.text('profile'),
      tokenFile: given.text('token-file'),
      baseUrl: given.text('base-url'),
    };
    const resolving = resolveSpeaker(asked, speakerWorld(context));
    const { bot, baseUrl, tokenSource } = await sayIfSlow(waitingForToken, resolving, context.display);
    const token = `from ${tokenSource}; what it may do shows when it is used`;
    return { ...still, url: baseUrl, findings: [store, ok('bot', bot), ok('token', token)] };
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure.code === 'interrupted' || failure.code === 'bug') throw failure;
    return { ...still, url: urlAnyway(given, context), findings: [store, failed('token', failure)] };
  }
}

function profilesFinding({ env }: Context): Finding {
  const place = storePlace(env);
  try {
    const file = readProfiles(place);
    const names = Object.keys(file.profiles);
    const inUse = file['in-use'] === undefined ? '' : `, ${file['in-use']} in use`;
    return ok('profiles', names.length === 0 ? 'none' : `${names.length} in ${place.file}${inUse}`);
  } catch (thrown) {
    return failed('profiles', asFailure(thrown));
  }
}

/** The address of who would speak, although its token is missing. */
function urlAnyway(given: Given, { env }: Context): BaseUrl | undefined {
  try {
    const file = readProfiles(storePlace(env));
    const name = given.text('profile') ?? env.BOTCTL_PROFILE ?? file['in-use'] ?? '';
    return file.profiles[name]?.['base-url'] as BaseUrl | undefined;
  } catch {
    return undefined;
  }
}

async function proxyOf(url: string | undefined, { env }: Context): Promise<ProxyInEnv | undefined> {
  const { proxyInEnv } = await import('../wire/proxyInEnv.ts');
  return proxyInEnv(url === undefined ? undefined : new URL(url), env);
}

async function probeOf(
  url: string | undefined,
  proxy: ProxyInEnv['server'],
  timeoutMs: number,
  { clock, display }: Context,
): Promise<Probe | undefined> {
  if (url === undefined) return undefined;
  const { probe } = await import('../wire/probe.ts');
  const origin = originOf(url as BaseUrl);
  const settings = { origin, proxy, timeoutMs, userAgent: `botctl/${version}`, now: clock.now };
  return display.waiting(`Connecting to ${origin}`, probe(settings));
}

async function journalFacts(path: string): Promise<JournalFacts> {
  if (!existsSync(path)) {
    const folder = nearestFolder(dirname(path));
    return { is: 'none', folder, writable: isWritable(folder) };
  }
  try {
    const { lookAtJournal } = await import('../journal/lookOnly.ts');
    return { is: 'there', look: lookAtJournal(path) };
  } catch (thrown) {
    return { is: 'unreadable', failure: asFailure(thrown) };
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function chainTrouble(): Promise<string | undefined> {
  const { loadChain } = await import('../sandbox/chain.ts');
  try {
    await loadChain();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
