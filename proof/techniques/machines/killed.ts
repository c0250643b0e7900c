import { setTimeout as after } from 'node:timers/promises';
import { playEach, type Stage, shareOf } from '../../arena.ts';
import { shortened } from '../../told.ts';
import { type Errand, errands } from './deeds.ts';
import { type Fleet, newScene, undisturbed } from './fleet.ts';
import { leaseMs } from './harbour.ts';
import { endsBroken, endsInCompany } from './scene.ts';

/** The steps of an undisturbed command on the first machine. */
export function stepsOf(errand: Errand, fleet: Fleet): Promise<string[]> {
  return undisturbed(errand, fleet, (scene) => {
    const { argv, stdin } = scene.deed;
    return scene.steps('committed', argv, { stdin });
  });
}

type Step = { readonly errand: Errand; readonly at: number; readonly name: string };

/** Kills it at that step. The next machine continues, after it or alongside it from the start. */
async function strike(
  { errand, at, name, inCompany }: Step & { readonly inCompany: boolean },
  fleet: Fleet,
  stage: Stage,
): Promise<void> {
  const where = `killed ${inCompany ? 'in company ' : ''}at step ${at} (${name})`;
  const scene = await newScene(where, errand, fleet, stage);
  const { argv, stdin } = scene.deed;
  const struck = scene.dying(at, argv, { stdin, isOneOfMany: inCompany });
  const other = inCompany ? scene.on(1, { isOneOfMany: true }) : undefined;
  const ran = await struck;
  if (ran.signal !== 'SIGKILL' && ran.code !== 0)
    scene.unmet(`it was to be killed, but ended with ${ran.code}`);
  if (other !== undefined) scene.expectExit(await other, ...endsInCompany);
  await scene.settle();
}

/** kill -9 at every step of every errand, then the same command on another machine. */
export async function playKilled(fleet: Fleet): Promise<void> {
  const blows: (Step & { readonly inCompany: boolean })[] = [];
  for (const errand of shareOf(errands, fleet, 'errands killed')) {
    const steps = await stepsOf(errand, fleet);
    const begun = steps.findIndex((name) => name.startsWith('ask BEGIN'));
    for (const [index, name] of steps.entries()) {
      // Until it begins to write one step is like another.
      if (index >= begun || index % 4 === 0)
        blows.push({ errand, at: index + 1, name, inCompany: index % 3 === 2 });
    }
  }
  await playEach(fleet, shareOf(blows, fleet, 'machines killed'), (blow, stage) =>
    strike(blow, fleet, stage),
  );
}

/**
 * Stands still until others have done its work, or until it is only counted as dead: then rows that it had not started
 * no longer belong to it. It continues, and must start nothing.
 */
async function stopAt(
  { errand, at, name, isEnded }: Step & { readonly isEnded: boolean },
  fleet: Fleet,
  stage: Stage,
): Promise<void> {
  const how = isEnded ? 'ended by others' : 'taken over';
  const scene = await newScene(`stopped at step ${at} (${name}), ${how}, continued`, errand, fleet, stage);
  const { argv, stdin } = scene.deed;
  const held = await scene.held(String(at), argv, { stdin, isOneOfMany: true });
  if (isEnded) {
    await after(leaseMs + 200);
    const [, home] = scene.harbour.homes;
    await scene.run(['resume', '--all', '--json'], { home, isOneOfMany: true });
  } else if (held.step !== undefined) scene.expectExit(await scene.on(1, { isOneOfMany: true }), 0);
  const before = scene.requests;
  const ran = await held.goOn();
  scene.expectExit(ran, ...endsBroken);
  const begun = scene.requests - before;
  // What was at the door leaves: that moment is behind it. Its number may be another step's by now.
  const mayLeave = held.step?.startsWith('undici:client:sendHeaders') === true ? 1 : 0;
  if (held.step !== undefined && begun > mayLeave)
    scene.wrong(`it made ${begun} requests after others had gone on: ${shortened(ran)}`);
  await scene.settle();
}

/** Stops owners for longer than their lease, at every step, and continues them after others have taken over. */
export async function playStopped(fleet: Fleet): Promise<void> {
  const stops: (Step & { readonly isEnded: boolean })[] = [];
  for (const errand of shareOf(errands, fleet, 'errands killed')) {
    let isInside = false;
    for (const [index, name] of (await stepsOf(errand, fleet)).entries()) {
      if (name.startsWith('ask BEGIN')) isInside = true;
      // There it holds the locks until the server ends it, 10 s later: a few of those must do.
      const every = isInside ? 5 : name.startsWith('undici') ? 1 : 2;
      if (index % every === 0) stops.push({ errand, at: index + 1, name, isEnded: false });
      if (name === 'asked COMMIT') isInside = false;
    }
  }
  const errand: Errand = { kind: 'a batch row by row' };
  const steps = await stepsOf(errand, fleet);
  // Its last row leaves nothing to begin.
  const lastRow = steps.findLastIndex((name) => name.startsWith('undici:client:connected'));
  const underway = [...steps.entries()]
    .filter(([at, name]) => at < lastRow && name.startsWith('undici') && !name.endsWith('trailers'))
    .map(([index, name]) => ({ errand, at: index + 1, name, isEnded: true }));
  const chosen = [
    ...shareOf(underway, fleet, 'stopped in a batch'),
    ...shareOf(stops, fleet, 'machines stopped'),
  ];
  await playEach(fleet, chosen, (stop, stage) => stopAt(stop, fleet, stage));
}
