import { type Finding, fail, ok, warn } from './finding.ts';

/** The Node majors that botctl is tried on. */
const triedMajors = [20, 22, 24, 26];
// Node 21 and 22.0 lack what botctl looks its lazily loaded parts up with.
const leastMinors: Readonly<Record<number, number>> = { 20: 19, 21: Number.POSITIVE_INFINITY, 22: 3 };

export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/u, '').split('.').map(Number);
  const says = `Node ${version.replace(/^v/u, '')}`;
  if (major < 20 || minor < (leastMinors[major] ?? 0)) {
    return fail('node', `${says} is too old`, 'Install Node 20.19, 22.3 or newer.');
  }
  if (triedMajors.includes(major)) return ok('node', says);
  return warn(
    'node',
    `${says} is none that botctl is tried on`,
    `Use Node ${triedMajors.join(', ')} if anything is odd.`,
  );
}

/** `trouble` is why Solana's programs do not run here; without them the sandbox has messages only. */
export function sandboxFinding(trouble: string | undefined): Finding {
  if (trouble === undefined) return ok('sandbox', 'messages and real transfers');
  return warn(
    'sandbox',
    `messages only. ${trouble}`,
    'Try transfers on Linux or macOS. Everything but the sandbox’s transfers works.',
  );
}
