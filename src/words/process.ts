import type { Process } from '../journal/process.ts';

export function processName({ host, pid }: Process): string {
  return `${host} (pid ${pid})`;
}

/** At the beginning of a sentence. */
export function anotherProcess(by: Process | undefined): string {
  return by === undefined ? 'Another botctl process' : `The botctl process on ${processName(by)}`;
}
