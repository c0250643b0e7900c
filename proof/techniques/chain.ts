import type { Readings } from '../../src/sandbox/readings.ts';
import { clientOf, type LedgerEffect, recipient } from '../../test/support/sandbox.ts';
import { playEach, type Stage, shareOf, type Technique } from '../arena.ts';
import type { Lane } from '../lane.ts';
import { begin, type Play } from '../play.ts';
import { objectsOf, type Ran, run } from '../run.ts';

type Fault = Parameters<Lane['service']['faults']>[0];
type Weather = {
  readonly name: string;
  readonly readings?: Partial<Readings>;
  readonly fault?: Fault;
  /** The payment before the second one is not this journal's, and was made a month ago by what the node says. */
  readonly isOlder?: true;
};

/** What happens to the second payment, and to its reply. */
const services: readonly Weather[] = [
  { name: 'the service does as it should' },
  { name: 'its reply is lost', fault: { kind: 'drop', when: 'after' } },
  { name: 'it fails after the payment', fault: { kind: 'reply', when: 'after', status: 500 } },
  { name: 'it says that the payment failed', readings: { transfer_status: 'failed' } },
  { name: 'it names the signature before', readings: { reply_signature: 'previous' } },
  { name: 'it names an older signature', readings: { reply_signature: 'previous' }, isOlder: true },
  {
    name: 'it says that the payment failed, and names an older signature',
    readings: { reply_signature: 'previous', transfer_status: 'failed' },
    isOlder: true,
  },
  { name: 'it names none', readings: { omit_fields: ['signature'] } },
];

/** What the node reports about it. */
const nodes: readonly Weather[] = [
  { name: 'a node that shows it' },
  { name: 'processed only', readings: { commitment_held_at: 'processed' } },
  { name: 'confirmed only', readings: { commitment_held_at: 'confirmed' } },
  { name: 'a node that lags', readings: { slot_ms: 1000, node_lag_slots: 1_000_000 } },
  { name: 'a node that forgot', readings: { node_history: 'forgotten' } },
  { name: 'a node without its storage', readings: { node_history: 'unavailable' } },
  { name: 'a node of another cluster', readings: { genesis_hash: recipient } },
  { name: 'a node that limits the rate', fault: { kind: 'reply', status: 429, operation: 'rpc', times: 3 } },
  { name: 'a mint with a fee', readings: { token_replies: 'token-2022-fee' } },
];

const amounts = ['the same amount', 'another amount'] as const;
const assets = ['SOL', 'USDC'] as const;

type Case = {
  readonly service: Weather;
  readonly node: Weather;
  readonly amount: (typeof amounts)[number];
  readonly asset: (typeof assets)[number];
};

function everyCase(): Case[] {
  return services.flatMap((service) =>
    nodes.flatMap((node) =>
      amounts.flatMap((amount) => assets.map((asset): Case => ({ service, node, amount, asset }))),
    ),
  );
}

/** Makes one payment without faults and others with them, then checks all on the chain when the faults are over. */
async function playCase({ service, node, amount, asset }: Case, stage: Stage): Promise<void> {
  const { lane } = stage;
  const play = await begin(`${asset}, ${amount}, ${service.name}, ${node.name}`, stage);
  await lane.service.set({ slot_ms: 0 });
  writeProfile(play);
  const told: Ran[] = [];
  // Of a service that names the signatures of others, only what the chain is said to show is held to the ledger.
  const ask = async (words: readonly string[]): Promise<void> => {
    const ran = await run(stage.programs.plain, words, { env: lane.env(play.home) });
    play.judge(ran);
    told.push(ran);
  };
  const pay = async (name: string | undefined, units: string, ...more: readonly string[]): Promise<void> => {
    const named = name === undefined ? [] : ['--once', name, '--repeat'];
    const words = ['transfer', '--to', recipient, '--asset', asset, '--amount', units, ...named];
    const limits = ['--max-wait', more.length > 0 ? '300ms' : '0s', '--profile', 'payer'];
    await ask([...words, ...more, ...limits, '--json']);
  };
  // A payment without a name would stop at its equal.
  await pay('a', service.isOlder ? '0.004' : '0.001');
  const units = amount === 'the same amount' ? '0.001' : '0.002';
  if (service.isOlder) await makeOlder({ to_address: recipient, asset, amount: units }, lane);
  await lane.service.set({ ...service.readings, ...node.readings });
  for (const { fault } of [service, node]) if (fault !== undefined) await lane.service.faults(fault);
  // Under a random key an older payment proves nothing, whenever it was.
  await pay(service.isOlder ? undefined : 'b', units, '--wait');
  const isBegun = told[1]?.code !== 2 && told[1]?.code !== 8;
  // By the reply to the third the service takes the payment before for it.
  await lane.service.set({ ...service.readings, ...allWell, reply_signature: 'previous' });
  await pay('c', amount === 'the same amount' ? '0.003' : '0.0005');
  const verify = ['verify', '--all', '--json'];
  await ask(verify);
  await ask(verify);
  const effects = await play.effects();
  for (const what of unheld(told, effects)) play.wrong(what);
  // At a node of another cluster, or one that does not answer, nothing is begun: then no entry is named.
  await play.over((isBegun ? 3 : 2) + (service.isOlder ? 1 : 0));
}

/** A service that ignores keys, and a reply that does not come. */
type Again = { readonly asset: (typeof assets)[number]; readonly service: Weather };

function everyAgain(): Again[] {
  return services
    .filter(({ fault }) => fault !== undefined)
    .flatMap((service) => assets.map((asset): Again => ({ asset, service })));
}

/**
 * No client can prevent that it pays again. Each command that looks at the chain must say so, and name what was paid.
 */
async function playAgain({ asset, service }: Again, stage: Stage): Promise<void> {
  const play = await begin(`${asset}, a service that ignores keys, ${service.name}`, stage);
  await stage.lane.service.set({ slot_ms: 0, repeated_transfer_key: 'ignore' });
  if (service.fault !== undefined) await stage.lane.service.faults(service.fault);
  writeProfile(play);
  const money = ['--to', recipient, '--asset', asset, '--amount', '0.001'];
  const pay = ['transfer', ...money, '--once', 'a', '--profile', 'payer', '--json'];
  play.expectExit(await play.run(pay), 0);
  const effects = await play.effects();
  for (const words of [
    [...pay, '--wait'],
    ['verify', '--all', '--json'],
  ]) {
    const ran = await play.run(words);
    play.expectExit(ran, 10);
    const isTold = effects.every(({ signature }) => `${ran.stdout}${ran.stderr}`.includes(signature ?? ''));
    if (!isTold) play.wrong(`${words[0]} does not name all of ${effects.length} payments`);
  }
  stage.tally.paidAgain += effects.length - 1;
  await play.over(effects.length);
}

async function makeOlder(request: Record<string, string>, { service }: Lane): Promise<void> {
  const { baseUrl, token } = service;
  await clientOf({ baseUrl, tokens: { full: token } }).post('transfer', request);
  const monthAgoS = Math.floor(Date.now() / 1000) - 30 * 24 * 3600;
  const twist = { kind: 'twist', method: 'getTransaction', path: 'blockTime', value: monthAgoS } as const;
  await service.faults({ ...twist, times: 999 });
}

const allWell: Partial<Readings> = {
  ...{ commitment_held_at: null, slot_ms: 0, node_lag_slots: 0, node_history: 'whole' },
  genesis_hash: null,
};

function writeProfile({ home, stage }: Play): void {
  const { baseUrl, token, node, wallet } = stage.lane.service;
  const payer = {
    ...{ 'base-url': baseUrl, token: { kind: 'stored', secret: token } },
    'rpc-url': { kind: 'stored', secret: node.rpcUrl },
    ...{ cluster: node.genesisHash, wallet, assets: node.assets },
  };
  home.writeConfig({ version: 1, 'in-use': 'payer', profiles: { payer } });
}

type Said = {
  entry?: { key: string; request: Record<string, unknown> };
  chain?: { verdict: string; signature: string };
};

/** Transfers reported as proven that the ledger does not have, or has for another entry. */
function unheld(told: readonly Ran[], effects: readonly LedgerEffect[]): string[] {
  const wrong: string[] = [];
  const provenOf = new Map<string, string>();
  for (const { entry, chain } of told.flatMap((ran) => (objectsOf(ran) ?? []) as Said[])) {
    if (chain?.verdict !== 'proven' || entry === undefined) continue;
    const { to_address, asset, amount } = entry.request;
    const own = effects.find(({ signature }) => signature === chain.signature);
    const isHeld =
      own !== undefined &&
      own.key === entry.key &&
      own.request.to_address === to_address &&
      own.request.asset === asset &&
      own.request.amount === amount;
    if (!isHeld) wrong.push(`it said proven of ${entry.key}, and the ledger does not hold it`);
    const { signature } = chain;
    if ((provenOf.get(signature) ?? entry.key) !== entry.key)
      wrong.push(`one payment is proven of two: ${signature}`);
    provenOf.set(signature, entry.key);
  }
  return wrong;
}

export const chain: Technique = {
  name: 'chain',
  title: '10. The chain speaks',
  play: async (arena) => {
    await playEach(arena, shareOf(everyCase(), arena, 'chain', 3), playCase);
    await playEach(arena, shareOf(everyAgain(), arena, 'again', 1), playAgain);
  },
};
