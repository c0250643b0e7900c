import { execFileSync } from 'node:child_process';

export type Process = { readonly pid: number; readonly parent: number; readonly line: string };

/** Every process on this machine. */
export function processes(): Process[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((row) => {
      const found = /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(row);
      return found === null
        ? []
        : [{ pid: Number(found[1]), parent: Number(found[2]), line: found[3] ?? '' }];
    });
}
