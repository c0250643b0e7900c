import type { Dice } from '../../dice.ts';
import { type Operation, operations, type Stage } from '../../play.ts';
import { type FaultScript, faultScripts } from '../faults/faultScripts.ts';
import { shareOf } from '../technique.ts';
import { type Spot, spotsOf } from './cut.ts';
import { type DeedKind, newDeed } from './deed.ts';
import { errands } from './errands.ts';
import { type Fleet, newScene, overFleet } from './fleet.ts';
import type { Harbour } from './harbour.ts';
import { stepsOf } from './killed.ts';

const hazards = ['killed', 'cut', 'stranded', 'server killed'] as const;
type Hazard = (typeof hazards)[number];

type Cross = {
  readonly script: FaultScript;
  readonly operation: Operation;
  readonly hazard: Hazard;
  /** Some say of a repeated transfer that it conflicts, and no more. */
  readonly isConflicting: boolean;
};

function everyCross(): Cross[] {
  return operations.flatMap((operation) =>
    faultScripts
      .filter(({ only }) => only === undefined || only === operation)
      .flatMap((script, row) =>
        hazards
          // They take turns.
          .filter((_hazard, column) => (row + column) % 2 === 0)
          .map((hazard, turn): Cross => {
            const isConflicting = operation === 'transfer' && (row + turn) % 3 === 0;
            return { script, operation, hazard, isConflicting };
          }),
      ),
  );
}

const kinds: Readonly<Record<Operation, readonly DeedKind[]>> = {
  message: ['a message by name', 'a message by key', 'a batch'],
  transfer: ['a transfer by name', 'a transfer of a run', 'a transfer by key'],
};

/** Where a command can be hit: roughly the same for all commands with one request. */
type Places = { readonly steps: readonly string[]; readonly spots: readonly Spot[] };

/** The service and the connection to the journal fail at the same time. */
async function playCross(
  one: Cross,
  places: Places,
  dice: Dice,
  harbour: Harbour,
  stage: Stage,
): Promise<void> {
  const { script, operation, hazard, isConflicting } = one;
  const { service } = stage.lane;
  const at = dice.below(places.steps.length) + 1;
  const spot = dice.pick(places.spots);
  const place = hazard === 'killed' ? `step ${at}` : `message ${spot.nth} of the ${spot.from}`;
  const where = `${script.name}${isConflicting ? ', repeats conflict' : ''}, ${hazard} at ${place}`;
  const scene = await newScene(where, newDeed(dice.pick(kinds[operation])), harbour, stage);
  if (isConflicting) await service.set({ repeated_transfer_key: 'conflict' });
  if (script.faults.length > 0) await service.faults(...script.faults);
  const { proxy, server } = harbour;
  if (hazard === 'killed') {
    const env = { BOTCTL_PROOF_DIE_AT: String(at) };
    await scene.run(0, { program: stage.programs.hooked, env });
  } else {
    const { from, nth } = spot;
    const how = hazard === 'cut' ? 'cut' : hazard === 'stranded' ? 'strand' : 'hold';
    const broken = proxy.when({ from, has: '', nth }, how);
    const first = scene.run(0);
    const isBroken = await Promise.race([broken.then(() => true), first.then(() => false)]);
    proxy.disarm();
    if (isBroken && hazard === 'server killed') await server.crashAndRestart();
    proxy.release();
    await first;
  }
  const mayBeHeld = isConflicting || script.endsHeld === true || script.rejectsLater === true;
  await scene.settle({ mayBeHeld });
}

/** Every fault of the service, combined with faults of the runner, its connection and the server. */
export async function playCrossed(fleet: Fleet): Promise<void> {
  const { arena } = fleet;
  const [errand] = errands;
  if (errand === undefined) return;
  const places = { steps: await stepsOf(errand, fleet), spots: await spotsOf(errand, fleet) };
  await overFleet(fleet, shareOf(everyCross(), arena, 'crossed'), (one, harbour, stage) => {
    const dice = arena.dice.for(`crossed ${one.script.name} ${one.operation} ${one.hazard}`);
    return playCross(one, places, dice, harbour, stage);
  });
}
