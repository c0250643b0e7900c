import { createHash } from 'node:crypto';
import type { FaultSpec } from './sandbox.ts';

type Troubles = {
  readonly seed: string;
  /** The share of the requests that meet a fault. */
  readonly rate: number;
  /** How many requests the script is for; later ones meet nothing. */
  readonly requests: number;
};

const kinds: readonly FaultSpec[] = [
  { kind: 'drop' },
  { kind: 'reset' },
  { kind: 'stall', ms: 200 },
  { kind: 'cut', at: 7 },
  { kind: 'garbage' },
  { kind: 'reply', status: 500 },
  { kind: 'reply', status: 502 },
  { kind: 'reply', status: 503 },
  { kind: 'reply', status: 429 },
  { kind: 'reply', status: 307, headers: [['Location', '/elsewhere']] },
];

/** A script in which some requests meet a fault and the others pass. The same seed gives the same script. */
export function randomFaults({ seed, rate, requests }: Troubles): FaultSpec[] {
  const script: FaultSpec[] = [];
  let passing = 0;
  for (let n = 0; n < requests; n += 1) {
    const dice = createHash('sha256').update(`${seed}/${n}`).digest();
    passing += 1;
    if (dice.readUInt32BE(0) / 2 ** 32 >= rate) continue;
    if (passing > 1) script.push({ kind: 'pass', times: passing - 1 });
    script.push(faultBy(dice));
    passing = 0;
  }
  return script;
}

/** A 429 or a redirect says that nothing was done. After the effect that would be false, and no service does it. */
function faultBy(dice: Buffer): FaultSpec {
  const fault = kinds[dice.readUInt32BE(4) % kinds.length] ?? { kind: 'drop' };
  const isHonest = fault.kind === 'reply' && (fault.status ?? 0) < 500;
  return { ...fault, when: isHonest || dice.readUInt8(8) % 2 === 0 ? 'before' : 'after' };
}
