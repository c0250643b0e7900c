import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Stage } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { shortened } from '../../told.ts';
import { shareOf } from '../technique.ts';
import { newDeed } from './deed.ts';
import { type Errand, errands, nameOf, prepare } from './errands.ts';
import { type Fleet, newScene, overFleet } from './fleet.ts';
import { type Harbour, leaseMs } from './harbour.ts';
import { stepsOf } from './killed.ts';
import type { Scene } from './scene.ts';

/** A command that stops itself at a step, and its result once it may go on. */
type Stopped = {
  readonly isStopped: boolean;
  /** The step that it was stopped at: its number may be another's when something runs beside it. */
  readonly name: string;
  goOn(): Promise<Ran>;
};

type Which = { readonly argv: readonly string[]; readonly machine: 0 | 3; readonly url?: string };

export async function stoppedAt(
  step: string,
  scene: Scene,
  { argv, machine, url }: Which = { argv: scene.deed.argv, machine: 0 },
): Promise<Stopped> {
  let child: ChildProcess | undefined;
  const { stdin } = scene.deed;
  const home = scene.machine(machine);
  const met = join(home.path, 'met');
  rmSync(met, { force: true });
  const ran = scene.play.run(argv, home, {
    program: scene.stage.programs.hooked,
    env: {
      ...{ BOTCTL_PROOF_DIE_AT: step, BOTCTL_PROOF_BLOW: 'SIGSTOP', BOTCTL_PROOF_MET: met },
      ...(url && { BOTCTL_JOURNAL: url }),
    },
    // It stands still for as long as another command takes, which has 120 s itself.
    limitMs: 240_000,
    isOneOfMany: true,
    started: (one) => {
      child = one;
    },
    ...(stdin === undefined ? {} : { stdin }),
  });
  let isOver = false;
  void ran.then(() => {
    isOver = true;
  });
  // It says so just before it stops.
  while (!isOver && !(child && existsSync(met) && (await isStopped(child)))) await after(20);
  return {
    isStopped: !isOver,
    name: existsSync(met) ? readFileSync(met, 'utf8') : step,
    goOn: () => {
      child?.kill('SIGCONT');
      return ran;
    },
  };
}

const execute = promisify(execFile);

/** The proxies run in this process: one that waited for `ps` itself would keep every machine from its server. */
async function isStopped({ pid }: ChildProcess): Promise<boolean> {
  const { stdout } = await execute('ps', ['-o', 'state=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.startsWith('T');
}

type Stop = { readonly errand: Errand; readonly at: number; readonly name: string };

/** Stopped until others have done its work. Then it continues, and must start nothing. */
async function stopAt({ errand, at, name }: Stop, harbour: Harbour, stage: Stage): Promise<void> {
  const where = `${nameOf(errand)}stopped at step ${at} (${name}), taken over and continued`;
  const scene = await newScene(where, newDeed(errand.kind), harbour, stage);
  await prepare(errand, scene);
  const stopped = await stoppedAt(String(at), scene);
  const other = stopped.isStopped ? await scene.run(1, { isOneOfMany: true }) : undefined;
  if (other !== undefined) scene.play.expectExit(other, 0);
  const before = scene.requests;
  const ran = await stopped.goOn();
  scene.play.expectExit(ran, 0, 8, 9, 11);
  // What was at the door leaves: that moment is behind it.
  const mayLeave = stopped.name.startsWith('undici:client:sendHeaders') ? 1 : 0;
  if (other?.code === 0 && scene.requests - before > mayLeave)
    scene.play.wrong(
      `it made ${scene.requests - before} requests after others had done it: ${shortened(ran)}`,
    );
  await scene.settle();
}

/** Stopped in the middle of a batch and counted as dead: rows that it had not started no longer belong to it. */
async function stopInBatch(
  { at, name }: Pick<Stop, 'at' | 'name'>,
  harbour: Harbour,
  stage: Stage,
): Promise<void> {
  const where = `stopped at step ${at} (${name}), ended by others, continued`;
  const scene = await newScene(where, newDeed(rowByRow), harbour, stage);
  const stopped = await stoppedAt(String(at), scene);
  if (!stopped.isStopped) {
    await stopped.goOn();
    scene.play.unmet('it was to be stopped');
  }
  await after(leaseMs + 200);
  await scene.play.run(['resume', '--all', '--json'], scene.machine(1), { isOneOfMany: true });
  const before = keysHeard(scene);
  const ran = await stopped.goOn();
  const begun = [...keysHeard(scene)].filter((key) => !before.has(key));
  if (begun.length > 0)
    scene.play.wrong(`it began ${begun.length} rows although others had ended it: ${shortened(ran)}`);
  // Where it had claimed them all, the others have done them all.
  scene.play.expectExit(ran, 0, 8, 9, 11);
  await scene.settle();
}

const rowByRow = 'a batch row by row';

function keysHeard({ stage }: Scene): Set<string> {
  return new Set(stage.lane.service.heard.flatMap(({ key }) => (key === undefined ? [] : [key])));
}

/** Stops owners for longer than their lease, at every step, and continues them after others have taken over. */
export async function playStopped(fleet: Fleet): Promise<void> {
  const { arena } = fleet;
  const stops: Stop[] = [];
  for (const errand of shareOf(errands, arena, 'errands killed')) {
    const steps = await stepsOf(errand, fleet);
    let isInside = false;
    for (const [index, name] of steps.entries()) {
      if (name.startsWith('ask BEGIN')) isInside = true;
      // There it holds the locks until the server ends it, 10 s later: a few of those must do.
      const every = isInside ? 5 : name.startsWith('undici') ? 1 : 2;
      if (index % every === 0) stops.push({ errand, at: index + 1, name });
      if (name === 'asked COMMIT') isInside = false;
    }
  }
  const steps = await stepsOf({ kind: rowByRow }, fleet);
  // Its last row leaves nothing to begin.
  const lastRow = steps.findLastIndex((name) => name.startsWith('undici:client:connected'));
  const underway = steps.flatMap((name, index) =>
    index < lastRow && name.startsWith('undici') && !name.endsWith('trailers')
      ? [{ at: index + 1, name }]
      : [],
  );
  await overFleet(fleet, shareOf(underway, arena, 'stopped in a batch'), stopInBatch);
  await overFleet(fleet, shareOf(stops, arena, 'machines stopped'), stopAt);
}
