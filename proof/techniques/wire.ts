import { writeFileSync } from 'node:fs';
import { type Certificate, makeCertificates } from '../../testing/certificates.ts';
import { type Lane, overLanes } from '../lane.ts';
import { playAtPace } from '../pace.ts';
import { command, type Operation, operations, Play, type Stage } from '../play.ts';
import { type Cut, type CuttingProxy, startProxy } from '../proxy.ts';
import type { Tally } from '../tally.ts';
import { type Arena, shareOf, type Technique } from './technique.ts';

type Case = { readonly operation: Operation; readonly cut: Cut; readonly isTriedInOneRun: boolean };

/** The lengths of a request and its reply, to cut them at each byte. */
async function lengthsOf(
  operation: Operation,
  proxy: CuttingProxy,
  stage: Stage,
): Promise<CuttingProxy['last']> {
  await stage.lane.service.fresh();
  const play = new Play(`${operation}, uncut`, stage);
  const home = stage.lane.home();
  play.expectExit(await play.run(command(operation), home, { baseUrl: proxy.url }), 0);
  await play.over(1);
  home.remove();
  return { ...proxy.last };
}

/** Every byte once. FIN or reset, and one run or two, take turns. */
function everyByte(operation: Operation, lengths: CuttingProxy['last']): Case[] {
  return (['request', 'reply'] as const).flatMap((side) =>
    Array.from({ length: lengths[side] + 1 }, (_, after): Case => {
      const how = Math.floor(after / 2) % 2 === 0 ? 'end' : 'reset';
      return { operation, cut: { in: side, after, how }, isTriedInOneRun: after % 2 === 0 };
    }),
  );
}

const silentEvery = 60;

function silences(operation: Operation, lengths: CuttingProxy['last']): Case[] {
  return (['request', 'reply'] as const).flatMap((side) => {
    const offsets = Array.from({ length: Math.ceil(lengths[side] / silentEvery) }, (_, n) => n * silentEvery);
    const silent = offsets.map((after): Case => {
      return { operation, cut: { in: side, after, how: 'silence' }, isTriedInOneRun: after % 120 === 0 };
    });
    return [...silent, { operation, cut: { in: side, after: 0, how: 'drip' }, isTriedInOneRun: true }];
  });
}

async function playCut(
  { operation, cut, isTriedInOneRun }: Case,
  proxy: CuttingProxy,
  stage: Stage,
): Promise<void> {
  const { lane } = stage;
  await lane.service.fresh();
  const play = new Play(`${operation}, ${cut.how} after ${cut.after} bytes of the ${cut.in}`, stage);
  const home = lane.home();
  const baseUrl = proxy.url;
  proxy.next(cut);
  const words = command(operation, '--timeout', cut.how === 'drip' ? '20s' : '1s');
  if (isTriedInOneRun) {
    play.expectExit(await play.run(words, home, { baseUrl }), 0);
  } else {
    play.expectExit(await play.run([...words, '--max-wait', '0s'], home, { baseUrl }), 0, 9);
    await play.journaled(home);
    play.expectExit(await play.run(words, home, { baseUrl }), 0);
  }
  await play.journaled(home);
  await play.over(1);
  home.remove();
}

const badCertificates = ['selfSigned', 'otherHost', 'expired'] as const;

/** An untrusted server receives nothing, and it is certain that nothing was sent. */
async function playTls(arena: Arena, tally: Tally): Promise<void> {
  const certificates = makeCertificates();
  if (certificates === undefined) {
    tally.note('TLS', 'left out, because there is no openssl');
    return;
  }
  const cases = operations.flatMap((operation) => badCertificates.map((bad) => ({ operation, bad })));
  await overLanes(arena, tally, cases, async ({ operation, bad }, lane, own) => {
    const stage: Stage = { lane, tally: own, programs: arena.programs };
    await lane.service.fresh();
    const play = new Play(`${operation}, TLS: ${bad}`, stage);
    const home = lane.home();
    const authority = `${home.path}/ca.pem`;
    writeFileSync(authority, certificates.authority);
    await playOneTls(operation, certificates[bad], certificates.good, { play, stage, home, authority });
    home.remove();
  });
}

type TlsScene = { play: Play; stage: Stage; home: ReturnType<Lane['home']>; authority: string };

async function playOneTls(
  operation: Operation,
  bad: Certificate,
  good: Certificate,
  { play, stage, home, authority }: TlsScene,
): Promise<void> {
  const { service } = stage.lane;
  const env = { NODE_EXTRA_CA_CERTS: authority };
  const words = command(operation, '--once', 'tls', '--max-wait', '0s');
  const proxy = await startProxy(service.baseUrl, bad);
  const baseUrl = proxy.url;
  play.expectExit(await play.run(words, home, { baseUrl, env }), 8);
  if ((await service.effects()).length > 0) play.wrong('something was sent to a service that is not trusted');
  proxy.recertify(good);
  play.expectExit(await play.run(words, home, { baseUrl, env }), 0);
  await proxy.close();
  await play.over(1);
}

async function play(arena: Arena, tally: Tally): Promise<void> {
  const { lanes, programs } = arena;
  const proxies = new Map<Lane, CuttingProxy>();
  for (const lane of lanes) proxies.set(lane, await startProxy(lane.service.baseUrl));
  const at = (lane: Lane): CuttingProxy => {
    const proxy = proxies.get(lane);
    if (proxy === undefined) throw new Error('no proxy');
    return proxy;
  };
  try {
    const [first] = lanes;
    if (first === undefined) throw new Error('no lane');
    const stage = { lane: first, tally, programs };
    const cases: Case[] = [];
    for (const operation of operations) {
      const lengths = await playAtPace(arena.pace, tally, (own) =>
        lengthsOf(operation, at(first), { ...stage, tally: own }),
      );
      const cuts = shareOf(everyByte(operation, lengths), arena, `cuts/${operation}`, 2);
      cases.push(...cuts, ...shareOf(silences(operation, lengths), arena, `silences/${operation}`));
    }
    await overLanes(arena, tally, cases, (one, lane, own) =>
      playCut(one, at(lane), { lane, tally: own, programs }),
    );
    if (arena.share >= 1) await playTls(arena, tally);
  } finally {
    for (const proxy of proxies.values()) await proxy.close();
  }
}

export const wire: Technique = { name: 'wire', title: '3. The wire cut at every byte', play };
