import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeCertificates } from '../testing/certificates.ts';
import type { NetworkTimings } from './measure/overNetwork.ts';
import { fetching, python3 } from './measure/peers.ts';
import { programsToMeasure } from './measure/programs.ts';
import { besideLine, type Line, type Measure } from './measure/table.ts';

export const measure: Measure = async (given) => {
  const certificates = makeCertificates();
  const isPossible = process.getuid?.() === 0 && existsSync('/dev/net/tun') && existsSync(python3);
  if (certificates === undefined || !isPossible)
    return { skipped: 'the network is delayed as root on Linux' };
  const [roundTripMs, rounds] = [given.number('round-trip'), given.number('rounds')];
  // What is fetched comes from outside of the delayed network.
  const programs = await programsToMeasure(given);
  const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
  try {
    writeFileSync(join(folder, 'authority.pem'), certificates.authority);
    writeFileSync(join(folder, 'asked.json'), JSON.stringify({ programs, rounds }));
    const service = [process.execPath, resolve('bench/measure/loopback.mjs')];
    const client = [process.execPath, resolve('scripts/run.mjs'), 'bench/measure/overNetwork', folder];
    const words = [
      resolve('bench/measure/delayedNetwork.py'),
      String(roundTripMs / 2),
      ...service,
      '--',
      ...client,
    ];
    const { key: KEY, cert: CERT } = certificates.good;
    const { status } = spawnSync(python3, words, { stdio: 'inherit', env: { ...process.env, KEY, CERT } });
    if (status !== 0) throw new Error(`what ran in the delayed network ended with ${status}`);
    const timed = JSON.parse(readFileSync(join(folder, 'timings.json'), 'utf8')) as NetworkTimings;
    const columns = programs.map(({ column }) => column);
    return {
      about: `https, ${roundTripMs} ms there and back, medians of ${rounds} rounds in turn`,
      columns,
      lines: columns.flatMap((column, at) => linesOf(timed, column, at === 0)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** What was timed for a column. What has none of its own stands in the first. */
function linesOf({ timings, absent }: NetworkTimings, column: string, isFirst: boolean): Line[] {
  const peers = timings.filter((timing) => timing.column === undefined);
  const own = timings.filter((timing) => timing.column === column);
  return [
    ...[...own, ...(isFirst ? peers : [])].map(({ name, medianMs }) => ({
      what: name,
      column,
      figure: `${medianMs.toFixed(0)} ms`,
    })),
    ...(isFirst ? absent.map((what) => ({ what, column, figure: 'absent' })) : []),
    ...['gh', fetching].map((peer) => ({ ...besideLine('botctl send', peer, [...own, ...peers]), column })),
  ];
}
