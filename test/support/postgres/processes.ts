import { execFileSync } from 'node:child_process';

export type Process = { readonly pid: number; readonly parent: number };

/** Every process on this machine. */
export function processes(): Process[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return rows.map((row) => {
    const [pid = 0, parent = 0] = row.trim().split(/\s+/u).map(Number);
    return { pid, parent };
  });
}
