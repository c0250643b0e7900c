import { startCuttableProxy } from '../../../testing/postgres/cuttableProxy.ts';
import type { PostgresServer } from '../../../testing/postgres/server.ts';
import type { Stage } from '../../play.ts';
import { shortened, toldBy } from '../../told.ts';
import { shareOf } from '../technique.ts';
import { type Deed, type DeedKind, newDeed, onceOnly } from './deed.ts';
import { type Fleet, overFleet } from './fleet.ts';
import { type Harbour, keptAt, sharing } from './harbour.ts';
import { Scene } from './scene.ts';

/**
 * What the server forgets: a finished deed, one whose reply was lost, one whose runner was killed, or only a person's
 * decision about one whose reply was lost.
 */
const beginnings = ['done', 'lost', 'killed', 'decided'] as const;
const losses = ['a standby promoted without its last commits', 'the server put back to a snapshot'] as const;

type Loss = {
  readonly how: (typeof losses)[number];
  readonly beginning: (typeof beginnings)[number];
  readonly kind: DeedKind;
  /** Which machine comes first afterwards: the one that did it, one that has notes of its own, or a new one. */
  readonly first: 'who did it' | 'another' | 'a new one';
};

const kinds: readonly DeedKind[] = [
  'a message by name',
  'a transfer of a run',
  'a transfer by key',
  'a batch',
];
/** Deeds that need only one decision. */
const decidable: readonly DeedKind[] = ['a message by name', 'a transfer of a run', 'a transfer by key'];
const firsts = ['who did it', 'another', 'a new one'] as const;

function everyLoss(): Loss[] {
  return losses.flatMap((how) =>
    beginnings.flatMap((beginning, row) =>
      firsts.map((first, column): Loss => {
        const some = beginning === 'decided' ? decidable : kinds;
        const kind = some[(row + column) % some.length] ?? 'a message by name';
        return { how, beginning, kind, first };
      }),
    ),
  );
}

/** New machines for this case: their notes must not affect other cases. */
function ownHarbour(harbour: Harbour, lane: Harbour['lane']): Harbour {
  return { ...harbour, homes: [lane.home(), lane.home(), lane.home(), lane.home()] };
}

/** A server that has forgotten what `meanwhile` did, and how to close it. */
async function forgetting(
  how: Loss['how'],
  { server }: Harbour,
  meanwhile: () => Promise<void>,
): Promise<{ server: PostgresServer; close(): Promise<void> }> {
  if (how === 'the server put back to a snapshot') {
    const snapshot = await server.snapshot();
    await meanwhile();
    await server.restore(snapshot);
    return { server, close: async () => {} };
  }
  const link = await startCuttableProxy(server.port);
  const standby = await server.standby({ through: link.port });
  await standby.caughtUp();
  link.now('hold');
  await meanwhile();
  await link.close();
  await standby.promote();
  return {
    server: standby,
    close: async () => {
      await standby.close();
      await server.query(
        'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active',
      );
    },
  };
}

async function begin({ beginning }: Loss, scene: Scene): Promise<void> {
  if (beginning === 'lost') return loseReply(scene);
  if (beginning === 'decided') return decide(scene);
  const hooks = { BOTCTL_PROOF_DIE_AT: 'undici:request:headers' };
  const { programs } = scene.stage;
  if (beginning === 'killed') await scene.run(0, { program: programs.hooked, env: hooks });
  else scene.play.expectExit(await scene.run(0), 0);
}

async function loseReply(scene: Scene): Promise<void> {
  await scene.stage.lane.service.faults({ kind: 'drop', when: 'after' });
  await scene.play.run(onceOnly(scene.deed.argv), scene.machine(0), stdinOf(scene.deed));
}

/** Made on the machine that was in doubt. */
async function decide(scene: Scene): Promise<void> {
  const [effect] = await scene.effects();
  const decided = (await scene.harbour.kept()).find(({ key }) => key === effect?.key);
  const argv = ['resolve', decided?.id ?? '', '--happened', '--reason', 'seen', '--yes', '--json'];
  scene.play.expectExit(await scene.play.run(argv, scene.machine(0)), 0);
}

function stdinOf({ stdin }: Deed): { stdin?: string } {
  return stdin === undefined ? {} : { stdin };
}

async function loseAndGoOn(loss: Loss, shared: Harbour, stage: Stage, lane: Harbour['lane']): Promise<void> {
  const { how, beginning, kind, first } = loss;
  const harbour = ownHarbour(shared, lane);
  await stage.lane.service.fresh();
  const where = `${beginning}, then ${how}; ${first} comes first`;
  const before = new Scene(where, newDeed(kind), harbour, stage);
  await earlier(harbour, stage, lane);
  if (beginning === 'decided') await loseReply(before);
  const { server, close } = await forgetting(how, harbour, () => begin(loss, before));
  try {
    const { pathname } = new URL(harbour.url);
    const url = server.urlOf(pathname.slice(1));
    const after = {
      ...harbour,
      server,
      url,
      kept: () => keptAt(server, url),
      lane: sharing(lane, url),
    };
    const scene = new Scene(where, before.deed, after, { ...stage, lane: after.lane });
    await stage.lane.service.clearFaults();
    await goOn(loss, scene);
  } finally {
    await close();
    for (const home of harbour.homes) home.remove();
  }
}

/** Three machines have done something before and noted it; the fourth is new. */
async function earlier(harbour: Harbour, stage: Stage, lane: Harbour['lane']): Promise<void> {
  const known = { ...stage, lane: harbour.lane };
  for (const machine of [0, 1, 2] as const) {
    const scene = new Scene('before all', newDeed('a message by name'), harbour, known);
    scene.play.expectExit(await scene.run(machine, { isOneOfMany: true }), 0);
  }
  await lane.service.fresh('remembered');
}

/** A machine whose note proves the loss is refused. The others, with the same name, must not do it again. */
async function goOn({ first }: Loss, scene: Scene): Promise<void> {
  if (first === 'who did it') await refused(scene);
  scene.play.expectExit(await scene.run(first === 'another' ? 1 : 2), 0);
  if (first === 'a new one') scene.play.expectExit(await scene.run(3), 0);
  await refused(scene);
  const accepted = ['journal', 'accept-loss', '--yes', '--json'];
  scene.play.expectExit(await scene.play.run(accepted, scene.machine(0)), 0);
  scene.play.expectExit(await scene.run(0), 0);
  await scene.journaled(true, true);
  await scene.play.over(scene.deed.expected);
}

async function refused(scene: Scene): Promise<void> {
  const { requests } = scene;
  const ran = await scene.run(0);
  // What the journal still knows to be in doubt is told as well.
  scene.play.expectExit(ran, 1, 9);
  if (!/\bhas lost\b/u.test(toldBy(ran).message)) scene.play.wrong(`not refused as lost: ${shortened(ran)}`);
  if (scene.requests > requests) scene.play.wrong('refused, and yet a request left');
}

/** A server that has lost what it acknowledged. Each machine's notes must reveal it. */
export async function playLost(fleet: Fleet): Promise<void> {
  const { arena } = fleet;
  const [decided, others] = [true, false].map((isDecided) =>
    everyLoss().filter(({ beginning }) => (beginning === 'decided') === isDecided),
  );
  const chosen = [...shareOf(decided ?? [], arena, 'decided'), ...shareOf(others ?? [], arena, 'lost')];
  await overFleet(fleet, chosen, (loss, harbour, stage) => loseAndGoOn(loss, harbour, stage, harbour.lane));
}
