import { messagesOnly, nodeVersion, untestedNode, wholeSandbox } from '../words/doctor.ts';
import { type Finding, ok, warn } from './finding.ts';

/** The Node majors that botctl is tested on. Too old ones do not get as far as this. */
const testedMajors = [20, 22, 24, 26];

export function nodeFinding(version: string): Finding {
  const number = version.replace(/^v/u, '');
  if (testedMajors.includes(Number.parseInt(number, 10))) return ok('node', nodeVersion(number));
  return warn('node', untestedNode(number, testedMajors));
}

/** Why Solana's programs do not run here; without them the sandbox has messages only. */
export type SandboxTrouble = { readonly message: string; readonly hint: string };

export function sandboxFinding(trouble: SandboxTrouble | undefined): Finding {
  if (trouble === undefined) return ok('sandbox', wholeSandbox);
  return warn('sandbox', { says: messagesOnly(trouble.message), todo: trouble.hint });
}
