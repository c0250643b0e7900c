import { startCuttableProxy } from '../../../test/support/postgres/cuttableProxy.ts';
import type { PostgresServer } from '../../../test/support/postgres/server.ts';
import { playEach, type Stage, shareOf } from '../../arena.ts';
import { onceOnly } from '../../jobs.ts';
import { lostReply } from '../../play.ts';
import { shortened, toldBy } from '../../told.ts';
import { type DeedKind, newDeed } from './deeds.ts';
import { type Fleet, harbourOf } from './fleet.ts';
import { fourMachines, sharing } from './harbour.ts';
import { Scene } from './scene.ts';

/**
 * What the server forgets: a finished deed, one whose reply was lost, one whose runner was killed, or only a person's
 * decision about one whose reply was lost.
 */
const beginnings = ['done', 'lost', 'killed', 'decided'] as const;
const losses = ['a standby promoted without its last commits', 'the server put back to a snapshot'] as const;
const kinds: readonly DeedKind[] = [
  'a message by name',
  'a transfer by name',
  'a transfer by key',
  'a batch',
];

type Loss = {
  readonly how: (typeof losses)[number];
  readonly beginning: (typeof beginnings)[number];
  readonly kind: DeedKind;
};

function everyLoss(): Loss[] {
  return losses.flatMap((how) =>
    beginnings.flatMap((beginning) =>
      kinds
        // A batch needs more than one decision.
        .filter((kind) => beginning !== 'decided' || kind !== 'a batch')
        .map((kind): Loss => ({ how, beginning, kind })),
    ),
  );
}

type Forgetful = { readonly server: PostgresServer; close(): Promise<void> };

/** A server that has forgotten what `meanwhile` did. */
async function forgetting(
  how: Loss['how'],
  server: PostgresServer,
  meanwhile: () => Promise<void>,
): Promise<Forgetful> {
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

async function loseReply(scene: Scene): Promise<void> {
  await scene.stage.lane.service.faults(lostReply);
  const { argv, stdin } = scene.deed;
  scene.expectExit(await scene.run(onceOnly(argv), { stdin }), 9, 11);
}

/** What only the lost part of the journal knows. */
async function begin(beginning: Loss['beginning'], scene: Scene): Promise<void> {
  const { argv, stdin } = scene.deed;
  if (beginning === 'lost') await loseReply(scene);
  else if (beginning === 'killed') await scene.dying('undici:request:headers', argv, { stdin });
  else if (beginning === 'done') scene.expectExit(await scene.on(0), 0);
  else {
    const [effect] = await scene.effects();
    const decided = (await scene.stage.lane.kept(scene.home)).find(({ key }) => key === effect?.key);
    const words = ['resolve', decided?.id ?? '', '--happened', '--reason', 'seen', '--yes', '--json'];
    scene.expectExit(await scene.run(words), 0);
  }
}

async function loseAndGoOn({ how, beginning, kind }: Loss, fleet: Fleet, stage: Stage): Promise<void> {
  const { lane } = stage;
  // New machines for this case: their notes must not affect other cases.
  const harbour = { ...harbourOf(fleet, stage), homes: fourMachines({ home: stage.machine }) };
  const where = `${beginning}, then ${how}`;
  // Three machines have done something before and noted it; the fourth is new.
  for (const machine of [0, 1, 2] as const) {
    const scene = new Scene('before all', newDeed('a message by name'), harbour, stage);
    scene.expectExit(await scene.on(machine, { isOneOfMany: true }), 0);
  }
  await lane.service.fresh('remembered');
  const before = new Scene(where, newDeed(kind), harbour, stage);
  if (beginning === 'decided') await loseReply(before);
  const { server, close } = await forgetting(how, harbour.server, () => begin(beginning, before));
  try {
    const url = server.urlOf(new URL(harbour.url).pathname.slice(1));
    const shared = sharing(lane, server, url);
    const scene = new Scene(where, before.deed, harbour, { ...stage, lane: shared });
    await lane.service.clearFaults();
    // What did not begin as it should has lost nothing.
    if (stage.tally.findings.length === 0) await goOn(scene);
  } finally {
    await close();
  }
}

/** A machine whose note proves the loss is refused. The others, with the same name, must not do it again. */
async function goOn(scene: Scene): Promise<void> {
  await refused(scene);
  scene.expectExit(await scene.on(2), 0);
  scene.expectExit(await scene.on(3), 0);
  await refused(scene);
  scene.expectExit(await scene.run(['journal', 'accept-loss', '--yes', '--json']), 0);
  scene.expectExit(await scene.on(0), 0);
  await scene.journaled();
  await scene.over(scene.deed.effects);
}

async function refused(scene: Scene): Promise<void> {
  const { requests } = scene;
  const ran = await scene.on(0);
  // What the journal still knows to be in doubt is told as well.
  scene.expectExit(ran, 1, 9);
  if (!/\bhas lost\b/u.test(toldBy(ran).message)) scene.wrong(`not refused as lost: ${shortened(ran)}`);
  if (scene.requests > requests) scene.wrong('refused, and yet a request left');
}

/** A server that has lost what it acknowledged. The note of each machine must reveal it. */
export async function playLost(fleet: Fleet): Promise<void> {
  await playEach(fleet, shareOf(everyLoss(), fleet, 'lost'), (loss, stage) =>
    loseAndGoOn(loss, fleet, stage),
  );
}
