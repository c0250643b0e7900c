import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from '../../play.ts';
import { shareOf } from '../technique.ts';
import { newDeed } from './deed.ts';
import { type Errand, errands, nameOf, prepare } from './errands.ts';
import { type Fleet, newScene, overFleet, seenOnce } from './fleet.ts';
import type { Harbour } from './harbour.ts';
import { endsInCompany } from './scene.ts';

/** The steps of an undisturbed command on the first machine, without the last one. */
export function stepsOf(errand: Errand, fleet: Fleet): Promise<string[]> {
  return seenOnce(fleet, `steps of ${nameOf(errand)}${errand.kind}`, (harbour, stage) =>
    lookAtSteps(errand, harbour, stage),
  );
}

async function lookAtSteps(errand: Errand, harbour: Harbour, stage: Stage): Promise<string[]> {
  const scene = await newScene('not killed', newDeed(errand.kind), harbour, stage);
  await prepare(errand, scene);
  const file = join(scene.machine(0).path, 'steps');
  const ran = await scene.run(0, { program: stage.programs.hooked, env: { BOTCTL_PROOF_STEPS: file } });
  scene.play.expectExit(ran, 0);
  const steps = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  for (const step of steps.filter((name) => name.startsWith('undici:client:sendHeaders'))) {
    if (!step.endsWith('(committed)')) scene.play.wrong(`a request left without a durable record: ${step}`);
  }
  await scene.settle();
  return steps;
}

type Blow = {
  readonly errand: Errand;
  readonly at: number;
  readonly name: string;
  readonly inCompany: boolean;
};

/** Kills it at that step. The next machine continues, after it or alongside it from the start. */
async function strike(blow: Blow, harbour: Harbour, stage: Stage): Promise<void> {
  const { errand, at, name, inCompany } = blow;
  const where = `killed ${inCompany ? 'in company ' : ''}at step ${at} (${name})`;
  const scene = await newScene(`${nameOf(errand)}${where}`, newDeed(errand.kind), harbour, stage);
  await prepare(errand, scene);
  const struck = scene.run(0, {
    program: stage.programs.hooked,
    env: { BOTCTL_PROOF_DIE_AT: String(at) },
    isOneOfMany: inCompany,
  });
  const other = inCompany ? scene.run(1, { isOneOfMany: true }) : undefined;
  const ran = await struck;
  if (ran.signal !== 'SIGKILL' && ran.code !== 0)
    scene.play.unmet(`it was to be killed, but ended with ${ran.code}`);
  if (other !== undefined) scene.play.expectExit(await other, ...endsInCompany);
  await scene.settle();
}

/** kill -9 at every step of every errand, then the same command on another machine. */
export async function playKilled(fleet: Fleet): Promise<void> {
  const { arena } = fleet;
  const blows: Blow[] = [];
  for (const errand of shareOf(errands, arena, 'errands killed')) {
    const steps = await stepsOf(errand, fleet);
    const begun = steps.findIndex((name) => name.startsWith('ask BEGIN'));
    for (const [index, name] of steps.entries()) {
      // Until it begins to write one step is like another.
      if (index >= begun || index % 4 === 0)
        blows.push({ errand, at: index + 1, name, inCompany: index % 3 === 2 });
    }
  }
  await overFleet(fleet, shareOf(blows, arena, 'machines killed'), strike);
}
