// In the delayed network: overNetwork FOLDER. What to time stands there, and the times are put there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchScript, presentPeers } from './peers.ts';
import type { Measured } from './programs.ts';
import { addProfile, homeIn } from './stage.ts';
import { type Row, type Timing, timeRows } from './timing.ts';

export type NetworkTimings = {
  /** Those of a program are in its column. */
  readonly timings: readonly (Timing & { readonly column?: string })[];
  readonly absent: readonly string[];
};

const [folder = ''] = process.argv.slice(2);
const { programs, rounds } = JSON.parse(readFileSync(join(folder, 'asked.json'), 'utf8')) as {
  readonly programs: readonly Measured[];
  readonly rounds: number;
};
const origin = `https://localhost:${process.env.BENCH_PORT}`;
const url = `${origin}/api/bot/v1/messages/send`;
const env = homeIn(join(folder, 'home'));
addProfile(origin, env);
// A certificate authority of one's own would make Node 20 read all that it trusts before it runs anything: for what
// is on this machine, as this service is by its name, none is needed.
const trusting = { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };

const own = programs.flatMap(({ column, node, start }): (Row & { readonly column: string })[] => {
  const words = (run: number) => ['send', '--conversation', 'conv_demo', '--content', `${column} ${run}`];
  const send = { name: 'botctl send', command: (run: number) => [...start, ...words(run)] as const };
  return [
    { ...send, env: trusting, column },
    { ...fetchScript(node, url, trusting), column },
  ];
});
const secure = { authority: join(folder, 'authority.pem'), address: '10.77.0.1' };
const { present, absent } = presentPeers({ url, secure, env });
const timings = timeRows([...own, ...present], rounds).map((timing, at) => {
  const column = own[at]?.column;
  return column === undefined ? timing : { ...timing, column };
});
writeFileSync(join(folder, 'timings.json'), JSON.stringify({ timings, absent } satisfies NetworkTimings));
