import { setTimeout as after } from 'node:timers/promises';
import type { Side } from '../../../test/support/postgres/messages.ts';
import { playEach, type Stage, shareOf } from '../../arena.ts';
import type { Dice } from '../../dice.ts';
import { type Operation, operations } from '../../jobs.ts';
import { shortened } from '../../told.ts';
import { type FaultScript, faultScripts } from '../faults/faultScripts.ts';
import { type Errand, errands, kindsOf } from './deeds.ts';
import { type Fleet, newScene, undisturbed } from './fleet.ts';
import type { Harbour } from './harbour.ts';
import { stepsOf } from './killed.ts';
import { endsBroken, type Spot } from './scene.ts';

/** Messages at which something starts or ends: start-up, password, query, Sync, and the server's “ready”. */
const telling: Readonly<Record<Side, string>> = { client: '\0pQS', server: 'Z' };

/** Those messages in an undisturbed command, from first to last. */
function spotsOf(errand: Errand, fleet: Fleet): Promise<Spot[]> {
  return undisturbed(errand, fleet, async (scene) => {
    scene.harbour.takeMessages();
    scene.expectExit(await scene.on(0), 0);
    const counts: Record<Side, number> = { client: 0, server: 0 };
    return scene.harbour.takeMessages().flatMap(({ from, message }): Spot[] => {
      counts[from] += 1;
      const text = message.toString('latin1');
      const words = text.replaceAll(/[^ -~]+/gu, ' ').trim();
      return telling[from].includes(text.slice(0, 1))
        ? [{ from, nth: counts[from], words: words.slice(0, 40) }]
        : [];
    });
  });
}

const ways = {
  cut: 'the connection cut',
  /** The server gets the rest late. */
  strand: 'the connection cut for the machine alone',
  /** Another machine goes on. */
  hold: 'the machine cut off from the server, in silence,',
  /** With all its children, by kill -9; then it is started again. */
  crash: 'the server killed',
} as const;
type Way = keyof typeof ways;

type Break = { readonly errand: Errand; readonly spot: Spot; readonly way: Way; readonly dice: Dice };

async function breakAt({ errand, spot, way, dice }: Break, fleet: Fleet, stage: Stage): Promise<void> {
  const { from, nth, words } = spot;
  // What somebody else commits meanwhile takes what this one has written to the disk with it.
  const inCompany = way === 'crash' && !words.includes('COMMIT') && dice.below(2) === 0;
  const where = `${ways[way]} ${inCompany ? 'under two ' : ''}at message ${nth} of the ${from} (${words})`;
  const scene = await newScene(where, errand, fleet, stage);
  const { proxy, url } = scene.harbour;
  const other = inCompany ? scene.on(1, { isOneOfMany: true }) : undefined;
  // Of a connection that is cut as well, the answer that was under way never comes.
  const isSilent = way === 'crash' || (way === 'hold' && dice.below(2) === 0);
  const how = way === 'strand' ? 'strand' : isSilent ? 'hold' : 'cut';
  let before = Number.POSITIVE_INFINITY;
  const isOneOfMany = way === 'hold' || way === 'crash';
  const ran = await scene.broken(spot, how, { isOneOfMany }, async () => {
    if (way === 'crash') await crash(scene.harbour);
    else if (way === 'hold') {
      // Not one connection: the whole machine, with those to come.
      proxy.now('hold');
      scene.expectExit(await scene.on(1, { isOneOfMany, env: { BOTCTL_JOURNAL: url } }), 0);
      before = scene.requests;
    } else await after(dice.below(1200));
  });
  scene.expectExit(ran, ...endsBroken);
  if (scene.requests > before) scene.wrong(`it made a request after others had done it: ${shortened(ran)}`);
  if (other !== undefined) scene.expectExit(await other, ...endsBroken);
  await scene.settle();
}

/** Afterwards the transaction numbers that the server has forgotten are used up. */
async function crash({ server, url }: Harbour): Promise<void> {
  await server.crashAndRestart();
  await server.query('CREATE TABLE IF NOT EXISTS public.meanwhile (at timestamptz)', [], url);
  for (let turn = 0; turn < 3; turn += 1)
    await server.query('INSERT INTO public.meanwhile VALUES (now())', [], url);
}

/** Breaks the connection to the server in each phase, from the first message to the last, or kills the server. */
export async function playCut(fleet: Fleet): Promise<void> {
  const breaks: Break[] = [];
  for (const errand of shareOf(errands, fleet, 'errands cut')) {
    for (const [index, spot] of (await spotsOf(errand, fleet)).entries()) {
      // Silence takes a while, so only one place in five is tried.
      const way: Way = index % 5 === 0 ? 'hold' : index % 2 === 0 ? 'cut' : 'strand';
      const crashes = spot.words.includes('COMMIT') || index % 12 === 0 ? (['crash'] as const) : [];
      for (const one of [way, ...crashes]) {
        const dice = fleet.dice.for(`${one} ${errand.kind} ${spot.from} ${spot.nth}`);
        breaks.push({ errand, spot, way: one, dice });
      }
    }
  }
  await playEach(fleet, shareOf(breaks, fleet, 'machines cut'), (one, stage) => breakAt(one, fleet, stage));
}

const hazards = ['killed', 'cut', 'strand', 'crash'] as const;

type Cross = {
  readonly script: FaultScript;
  readonly operation: Operation;
  readonly hazard: (typeof hazards)[number];
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

/** Every fault of the service, while its runner, its connection to the journal or the server fails at the same time. */
export async function playCrossed(fleet: Fleet): Promise<void> {
  const errand: Errand = { kind: 'a message by name' };
  // Roughly the same for all commands with one request.
  const [steps, spots] = [await stepsOf(errand, fleet), await spotsOf(errand, fleet)];
  const play = async (one: Cross, stage: Stage): Promise<void> => {
    const { script, operation, hazard, isConflicting } = one;
    const dice = fleet.dice.for(`crossed ${script.name} ${operation} ${hazard}`);
    const at = dice.below(steps.length) + 1;
    const spot = dice.pick(spots);
    const place = hazard === 'killed' ? `step ${at}` : `message ${spot.nth} of the ${spot.from}`;
    const where = `${script.name}${isConflicting ? ', repeats conflict' : ''}, ${hazard} at ${place}`;
    const scene = await newScene(where, { kind: dice.pick(kindsOf[operation]) }, fleet, stage);
    const { service } = stage.lane;
    if (isConflicting) await service.set({ repeated_transfer_key: 'conflict' });
    if (script.faults.length > 0) await service.faults(...script.faults);
    const { argv, stdin } = scene.deed;
    if (hazard === 'killed') await scene.dying(at, argv, { stdin });
    else
      await scene.broken(spot, hazard === 'crash' ? 'hold' : hazard, {}, async () => {
        if (hazard === 'crash') await scene.harbour.server.crashAndRestart();
      });
    const { endsHeld, rejectsLater, limitsLater } = script;
    await scene.settle({ mayBeHeld: isConflicting || (endsHeld ?? rejectsLater ?? limitsLater ?? false) });
  };
  await playEach(fleet, shareOf(everyCross(), fleet, 'crossed'), play);
}
