import type { Plan } from '../engine/plan.ts';
import type { PlanMeaning } from '../engine/planKinds.ts';
import type { PolicyWord } from '../engine/spend.ts';
import { waitsUnsent } from './decisionCommands.ts';
import { planWords } from './plans.ts';

/** Whether it would be a re-run, and of what. */
export function rerunWords(plan: Plan): string {
  return isWaiting(plan) ? 'yes: it waits for approval; nothing would be sent' : planWords[plan.is].dryRun;
}

/** What --propose would do; nothing where something else comes first, and is said. */
export function proposalWords(
  plan: Plan,
  { sends }: Pick<PlanMeaning, 'sends'>,
  policy: PolicyWord | undefined,
): string | undefined {
  if (isWaiting(plan)) return 'it would stay as it is, and wait for approval';
  if (sends === 'nothing') return undefined;
  if (plan.is === 'resume' && plan.found?.tainted === true)
    return 'it would not become a proposal: it may have been made already';
  if (policy?.is === 'refused') return undefined;
  return 'it would be put on record and held; nothing would be sent until a person resumes it';
}

function isWaiting({ is, found }: Plan): boolean {
  return is === 'needs-decision' && found !== undefined && waitsUnsent(found);
}
