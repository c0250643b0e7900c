import { interrupted } from './interrupted.ts';
import { formatDuration } from './time.ts';
import { Told } from './told.ts';

export function interruptedBeforeChange(): Told {
  return interrupted('before the profiles were changed');
}

export function profilesBusy(waitedMs: number, lock: string): Told {
  return new Told(
    'config-not-writable',
    `Another botctl has been writing the profiles for ${formatDuration(waitedMs)}`,
    {
      hint: 'Run the same command again. This shows which process it is:',
      next: [{ shell: [['fuser', lock]] }],
    },
  );
}

type NotWritable = {
  readonly folder: string;
  /** What is there of it. */
  readonly nearest: string;
  readonly reason: string;
  readonly isFull: boolean;
};

export function profilesNotWritable({ folder, nearest, reason, isFull }: NotWritable): Told {
  return new Told('config-not-writable', `The profiles could not be written: ${reason}`, {
    hint: isFull
      ? `Free some space on the disk of ${folder}, then run the same command again.`
      : `Make sure that ${folder} can be written to, then run the same command again.`,
    next: [{ shell: [isFull ? ['df', '-h', nearest] : ['ls', '-ld', nearest]] }],
  });
}
