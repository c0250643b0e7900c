import { makeCertificates } from '../../test/support/certificates.ts';
import { type Arena, playEach, playOne, type Stage, shareOf, type Technique } from '../arena.ts';
import { command, type Operation, onceOnly, operations } from '../jobs.ts';
import type { Lane } from '../lane.ts';
import { begin } from '../play.ts';
import { type Cut, type CuttingProxy, startProxy } from '../proxy.ts';

type Case = { readonly operation: Operation; readonly cut: Cut; readonly isTriedInOneRun: boolean };
const sides = ['request', 'reply'] as const;

/** The lengths of a request and its reply, to cut them at each byte. */
async function lengthsOf(
  operation: Operation,
  proxy: CuttingProxy,
  stage: Stage,
): Promise<CuttingProxy['last']> {
  const play = await begin(`${operation}, uncut`, stage);
  play.expectExit(await play.run(command(operation), { baseUrl: proxy.url }), 0);
  await play.over(1);
  return { ...proxy.last };
}

/** Every byte once. FIN or reset, and one run or two, take turns. */
function everyByte(operation: Operation, lengths: CuttingProxy['last']): Case[] {
  return sides.flatMap((side) =>
    Array.from({ length: lengths[side] + 1 }, (_, after): Case => {
      const how = Math.floor(after / 2) % 2 === 0 ? 'end' : 'reset';
      return { operation, cut: { in: side, after, how }, isTriedInOneRun: after % 2 === 0 };
    }),
  );
}

const silentEvery = 60;

function silences(operation: Operation, lengths: CuttingProxy['last']): Case[] {
  return sides.flatMap((side) => {
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
  const play = await begin(`${operation}, ${cut.how} after ${cut.after} bytes of the ${cut.in}`, stage);
  const { url: baseUrl } = proxy;
  proxy.next(cut);
  const words = command(operation, '--timeout', cut.how === 'drip' ? '20s' : '1s');
  if (!isTriedInOneRun) {
    play.expectExit(await play.run(onceOnly(words), { baseUrl }), 0, 9);
    await play.journaled();
  }
  play.expectExit(await play.run(words, { baseUrl }), 0);
  await play.journaled();
  await play.over(1);
}

const badCertificates = ['selfSigned', 'otherHost', 'expired'] as const;

/** An untrusted server receives nothing, and it is certain that nothing was sent. */
async function playTls(arena: Arena): Promise<void> {
  const certificates = makeCertificates();
  if (certificates === undefined) {
    arena.tally.note('TLS', 'left out, because there is no openssl');
    return;
  }
  const cases = operations.flatMap((operation) => badCertificates.map((bad) => ({ operation, bad })));
  await playEach(arena, cases, async ({ operation, bad }, stage) => {
    const play = await begin(`${operation}, TLS: ${bad}`, stage);
    const env = { NODE_EXTRA_CA_CERTS: play.home.file('ca.pem', certificates.authority) };
    const words = command(operation, '--once', 'tls', '--max-wait', '0s');
    const proxy = await startProxy(stage.lane.service.baseUrl, certificates[bad]);
    const { url: baseUrl } = proxy;
    play.expectExit(await play.run(words, { baseUrl, env }), 8);
    if ((await play.effects()).length > 0) play.wrong('something was sent to a service that is not trusted');
    proxy.recertify(certificates.good);
    play.expectExit(await play.run(words, { baseUrl, env }), 0);
    await proxy.close();
    await play.over(1);
  });
}

async function play(arena: Arena): Promise<void> {
  const proxies = new Map<Lane, CuttingProxy>();
  for (const lane of arena.lanes) proxies.set(lane, await startProxy(lane.service.baseUrl));
  const at = ({ lane }: Stage): CuttingProxy => {
    const proxy = proxies.get(lane);
    if (proxy === undefined) throw new Error('no proxy');
    return proxy;
  };
  try {
    const cases: Case[] = [];
    for (const operation of operations) {
      const lengths = await playOne(arena, (stage) => lengthsOf(operation, at(stage), stage));
      const cuts = shareOf(everyByte(operation, lengths), arena, `cuts/${operation}`, 2);
      cases.push(...cuts, ...shareOf(silences(operation, lengths), arena, `silences/${operation}`));
    }
    await playEach(arena, cases, (one, stage) => playCut(one, at(stage), stage));
    if (arena.share >= 1) await playTls(arena);
  } finally {
    for (const proxy of proxies.values()) await proxy.close();
  }
}

export const wire: Technique = { name: 'wire', title: '3. The wire cut at every byte', play };
