import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { program, programWords } from '../../test/support/program.ts';

/** A machine to measure on: a home of its own with a profile in use, and a service on loopback. */
export type Stage = {
  readonly folder: string;
  readonly baseUrl: string;
  /** Without anything of the caller's own botctl. */
  readonly env: NodeJS.ProcessEnv;
  end(): void;
};

const ofCaller = /^(BOTCTL_|XDG_|NO_COLOR$|FORCE_COLOR$)/u;

/** What is undefined in it is taken away. */
export function homeIn(folder: string): NodeJS.ProcessEnv {
  mkdirSync(folder, { recursive: true });
  const gone = Object.keys(process.env).filter((name) => ofCaller.test(name));
  return { ...Object.fromEntries(gone.map((name) => [name, undefined])), HOME: folder };
}

export async function setStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
  const service = spawn(process.execPath, [resolve('bench/measure/loopback.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = (): void => {
    service.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const baseUrl = `http://127.0.0.1:${await firstLine(service)}`;
    const env = homeIn(join(folder, 'home'));
    addProfile(baseUrl, env);
    return { folder, baseUrl, env, end };
  } catch (error) {
    end();
    throw error;
  }
}

async function firstLine(service: ChildProcess): Promise<string> {
  const [chunk] = (await once(service.stdout ?? service, 'data')) as [Buffer];
  return String(chunk).trim();
}

/** A profile in use. */
export function addProfile(baseUrl: string, env: NodeJS.ProcessEnv): void {
  const words = [...programWords, 'config', 'add', 'bench', '--base-url', baseUrl, '--token-stdin'];
  const { status, stderr } = spawnSync(program, words, {
    env: { ...process.env, ...env },
    input: 'bench_token_0123456789',
  });
  if (status !== 0) throw new Error(`no profile: ${stderr}`);
}
