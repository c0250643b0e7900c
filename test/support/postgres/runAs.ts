import { spawn } from 'node:child_process';
import type { User } from './folder.ts';

/** The part of this process's environment that the server's programs see. */
export const serverEnv = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };

/** Runs a program to its end as that user. */
export async function runAs(user: User, program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, {
    ...user,
    cwd: '/',
    env: serverEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  }
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${code}: ${said}`));
    });
  });
}
