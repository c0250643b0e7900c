import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { botctlPath } from '../../testing/program.ts';

export const botctl = botctlPath;

/** A machine to measure on: a home of its own with a profile in use, and a service on loopback. */
export type Stage = {
  readonly folder: string;
  readonly baseUrl: string;
  readonly asIs: boolean;
  /** Without anything of the caller's own botctl, nor what slows down every Node here: NODE_EXTRA_CA_CERTS is 30 ms. */
  readonly env: NodeJS.ProcessEnv;
  end(): void;
};

const ofBotctl = /^(BOTCTL_|XDG_|NO_COLOR$|FORCE_COLOR$)/u;
const ofNode = /^NODE_/u;

/** What is undefined in it is taken away. `asIs` leaves Node as the caller has set it up. */
export function homeIn(folder: string, asIs: boolean): NodeJS.ProcessEnv {
  mkdirSync(folder, { recursive: true });
  const gone = Object.keys(process.env).filter((name) => ofBotctl.test(name) || (!asIs && ofNode.test(name)));
  return { ...Object.fromEntries(gone.map((name) => [name, undefined])), HOME: folder };
}

export async function setStage(asIs: boolean): Promise<Stage> {
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
    const env = homeIn(join(folder, 'home'), asIs);
    addProfile(baseUrl, env);
    return { folder, baseUrl, asIs, env, end };
  } catch (error) {
    end();
    throw error;
  }
}

async function firstLine(service: ChildProcess): Promise<string> {
  const [chunk] = (await once(service.stdout ?? service, 'data')) as [Buffer];
  return String(chunk).trim();
}

/** A profile in use, and with it the folder where compiled code is kept. */
export function addProfile(baseUrl: string, env: NodeJS.ProcessEnv): void {
  const words = [botctl, 'config', 'add', 'bench', '--base-url', baseUrl, '--token-stdin'];
  const { status, stderr } = spawnSync(process.execPath, words, {
    env: { ...process.env, ...env },
    input: 'bench_token_0123456789',
  });
  if (status !== 0) throw new Error(`no profile: ${stderr}`);
}
