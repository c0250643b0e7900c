import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { labelled, plainCanvas, remark } from '../display/drawing.ts';
import { iso } from '../display/report.ts';
import type { Consent } from '../engine/claim.ts';
import type { Asked, Speaking } from '../engine/doing.ts';
import type { Plan } from '../engine/plan.ts';
import { isNamed } from '../intent/naming.ts';
import type { Intent } from '../journal/journal.ts';
import type { Session } from './session.ts';

/** Who asks a person, and about what. Without a terminal, or with --yes, nobody is asked. */
export function consentFor(
  asked: Asked,
  speaking: Speaking,
  given: Given,
  { display }: Context,
): Consent | undefined {
  if (!display.interactive || given.flag('yes')) return undefined;
  return async (plan) => {
    if (plan.decision === 'replay') {
      if (isNamed(asked.naming)) return 'go';
      return (await display.confirm(againQuestion(asked, plan, display.columns))) ? 'anew' : 'go';
    }
    if (asked.wanted.kind === 'message' || !sends(plan)) return 'go';
    return (await display.confirm(transferQuestion(asked, speaking, plan, display.columns))) ? 'go' : 'no';
  };
}

/** Opens the line before a plan is journaled that sends something; a replay does without. */
export function readyConsent(
  { readyToSend }: Pick<Session, 'readyToSend'>,
  ask: Consent | undefined,
): Consent {
  return async (plan) => {
    const answer = ask === undefined ? 'go' : await ask(plan);
    if (answer === 'anew' || (answer === 'go' && sends(plan))) await readyToSend();
    return answer;
  };
}

function sends({ decision }: Plan): boolean {
  return (['new', 'new-after-done', 'again', 'resume', 'leave-behind'] as Plan['decision'][]).includes(
    decision,
  );
}

function lastDone(found: Intent | undefined): string {
  return found === undefined ? '' : `at ${iso(found.updatedAtMs)} (intent ${found.id})`;
}

function againQuestion({ wanted }: Asked, { found }: Plan, columns: number): string {
  const what = wanted.kind === 'message' ? 'message was sent' : 'transfer was made';
  return `${remark(`The same ${what} ${lastDone(found)}.`, plainCanvas(columns))}Do it again?`;
}

function transferQuestion(
  { wanted }: Asked,
  { bot, baseUrl }: Speaking,
  { decision, found }: Plan,
  columns: number,
): string {
  if (wanted.kind !== 'transfer') throw new Error('only a transfer is asked about like this');
  const { to_address, asset, amount, memo } = wanted.request;
  const canvas = plainCanvas(columns);
  const facts = labelled(
    [
      ['Bot', bot],
      ['Service', baseUrl],
      ['To', to_address],
      ['Amount', `${amount} ${asset}`],
      ['Memo', memo === '' ? undefined : memo],
    ],
    canvas,
  );
  const before: Partial<Record<Plan['decision'], string | undefined>> = {
    'new-after-done': `The same transfer was last made ${lastDone(found)}; this would be a new one.`,
    resume: found?.tainted
      ? `It may have happened already (intent ${found.id}); it is sent with the same key, so that it happens once.`
      : undefined,
  };
  const said = before[decision];
  return `${facts}${said === undefined ? '' : remark(said, canvas)}Send it?`;
}
