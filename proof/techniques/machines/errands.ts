import type { FaultSpec } from '../../../testing/sandbox.ts';
import { type DeedKind, onceOnly } from './deed.ts';
import type { Scene } from './scene.ts';

/** What a runner is doing when something happens to it. */
export type Errand = {
  readonly kind: DeedKind;
  readonly faults?: readonly FaultSpec[];
  /** An earlier try, on yet another machine, whose reply got lost. */
  readonly isResumed?: true;
};

const lost: FaultSpec = { kind: 'drop', when: 'after' };

export const errands: readonly Errand[] = [
  { kind: 'a message by name' },
  { kind: 'a transfer of a run', faults: [{ kind: 'reply', status: 503, when: 'after' }] },
  { kind: 'a transfer by key', isResumed: true },
  { kind: 'a batch' },
];

export function nameOf({ faults, isResumed }: Errand): string {
  return `${faults ? 'tried again, ' : ''}${isResumed ? 'run again after a lost reply, ' : ''}`;
}

/** Plays what came before, and sets what the service will do. */
export async function prepare({ faults, isResumed }: Errand, scene: Scene): Promise<void> {
  const { service } = scene.stage.lane;
  if (isResumed === true) {
    await service.faults(lost);
    const ran = await scene.play.run(onceOnly(scene.deed.argv), scene.machine(3));
    scene.play.expectExit(ran, 9);
  }
  if (faults !== undefined) await service.faults(...faults);
}
