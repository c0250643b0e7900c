import { isUnsentProposal } from '../../once/engine/approval.ts';
import type { Plan } from '../../once/engine/plan.ts';
import type { PlanKind, PlanMeaning, RerunFinding } from '../../once/engine/planKinds.ts';
import type { PolicyWord } from '../../once/engine/spend.ts';
import type { Exit } from '../../once/failures.ts';
import type { Wanted } from '../../once/intent/wanted.ts';
import { differenceFrom } from './intent.ts';
import { formatCount } from './phrases.ts';
import { type Problem, Told } from './told.ts';

type PlanWords = {
  /** For people who run a command again. */
  readonly happens: string;
  /** For a dry run: whether it is a re-run, and of what. */
  readonly dryRun: string;
};

export const planWords: Readonly<Record<PlanKind, PlanWords>> = {
  new: {
    happens: 'a new intent with a new key',
    dryRun: 'no: it would be new',
  },
  'new-after-done': {
    happens: 'a new intent; a notice (on a terminal, the question) says when the same was last done',
    dryRun: 'no: the same was done before, and it would be done again',
  },
  'leave-behind': {
    happens: 'left behind with a notice, and a new intent begins',
    dryRun: 'no: an old one was never settled, and this would be a new one',
  },
  again: {
    happens: 'the same key again; with a changed body only if it never may have happened',
    dryRun: 'yes: it did not happen before; the same key again',
  },
  resume: {
    happens: 'resumed with its stored key and stored bytes',
    dryRun: 'yes: it would be sent again, with its stored key and request',
  },
  replay: {
    happens:
      'shown again from the journal: nothing is sent, and a notice says so and names --once. On a terminal, without --yes, an unnamed one asks whether to do it again',
    dryRun: 'yes: it is done; it would only be shown again',
  },
  wait: {
    happens: 'waited for, --max-wait at most (then 9), and its outcome reported; never a second request',
    dryRun: 'yes: another process is sending it now',
  },
  'needs-decision': {
    happens: 'not sent; says which decision is needed',
    dryRun: 'yes: it is held; nothing would be sent',
  },
  declined: {
    happens: 'not sent; says who declined it, and why',
    dryRun: 'yes: a person declined it; nothing would be sent or proposed',
  },
  'reported-ahead': {
    happens: 'not sent; says that it needs a name',
    dryRun: 'it would not be sent: it was done at a time that is still in the future by this machine’s clock',
  },
  'other-body': {
    happens: 'not sent',
    dryRun: 'it would not be sent: the name is taken by a different amount, recipient or text',
  },
  'other-bot': {
    happens: 'not sent',
    dryRun: 'it would not be sent: the name is taken by another bot',
  },
  'other-url': {
    happens: 'not sent; names both base URLs',
    dryRun: 'it would not be sent: the name was used at another base URL of this service',
  },
  'unknown-at-other-url': {
    happens: 'not sent; names both base URLs',
    dryRun: 'it would not be sent: the same name is unknown at another base URL of this service',
  },
  'held-at-other-url': {
    happens: 'not sent; names both base URLs, and which decision is needed',
    dryRun: 'it would not be sent: the same name is held at another base URL of this service',
  },
  'wait-for-twin': {
    happens: 'the twin is waited for, --max-wait at most; then the journal is asked again',
    dryRun: 'the same payment is being sent by another process; it would wait',
  },
  'unfinished-twin': {
    happens: 'not sent; names the twin, and says how to settle it',
    dryRun: 'it would not be sent: the same payment, under another name, is not settled',
  },
  'recently-done': {
    happens: 'not sent; shows the twin, and the command under a name. On a terminal it asks instead',
    dryRun: 'it would not be sent: the same payment was made a while ago, and may be this one',
  },
};

/** What a command finds, as in the rows of the re-run table. */
export const rerunFindings: Readonly<Record<RerunFinding, string>> = {
  'other-bot': 'a name held by another bot',
  'other-body': 'named, other canonical body, and neither rejected untainted nor resolved as did-not-happen',
  'being-sent': 'sending, its owner alive',
  'forgotten-in-doubt': 'unknown or sending with a dead owner, an unnamed message past its key age',
  unfinished: 'open, unknown, sending with a dead owner',
  'forgotten-held': 'held, an unnamed message past its key age',
  held: 'held',
  'reported-ahead': 'accepted, or resolved as happened, unnamed, reported more than 5 min ahead of now',
  done: 'accepted, or resolved as happened: named, not yet reported by any command, or first reported within the window',
  'done-long-ago': 'the same, unnamed, outside the window',
  declined: 'declined, with the same body: named, or unnamed and within the window',
  'unnamed-not-done': 'rejected, or resolved as did-not-happen, unnamed',
  'other-body-in-doubt': 'the same, named, tainted, with another body',
  'named-not-done': 'the same, named',
};

/** Whether it would be a re-run, and of what. */
export function rerunWords(plan: Plan, wanted: Wanted): string {
  if (isWaiting(plan)) return 'yes: it waits for approval; nothing would be sent';
  if (plan.is === 'other-body' && plan.found !== undefined)
    return `it would not be sent: the name is taken${differenceFrom(plan.found, wanted)}`;
  return planWords[plan.is].dryRun;
}

/** What --propose would do; undefined if something else comes first and is said. */
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
  return 'it would be recorded and held; nothing would be sent until a person approves it';
}

function isWaiting({ is, found }: Plan): boolean {
  return is === 'needs-decision' && found !== undefined && isUnsentProposal(found);
}

function didYouMean(meant: string): string {
  return `Did you mean ${meant}?`;
}

/** `meant` would replace the last of `words`. */
export function noHelpOn(words: readonly string[], meant: string | undefined): Told {
  return new Told('usage', `There is no help on "${words.join(' ')}".`, {
    hint: meant === undefined ? 'The help lists its topics:' : didYouMean(meant),
    next: [['help', ...(meant === undefined ? [] : [...words.slice(0, -1), meant])]],
  });
}

export function noCompletionFor(shell: string, meant: string | undefined, shells: readonly string[]): Told {
  return new Told('usage', `There is no completion for "${shell}".`, {
    hint: `${meant === undefined ? '' : `${didYouMean(meant)} `}Available: ${shells.join(', ')}.`,
  });
}

export function annotated(
  command: string,
  exit: Exit,
  { message, hint }: Pick<Problem, 'message' | 'hint'>,
): { title: string; text: string } {
  return {
    title: `botctl ${command}: exit ${exit}`,
    text: hint === undefined ? message : `${message} ${hint}`,
  };
}

export function moreNotSummed(count: number): string {
  return `and ${formatCount(count)} more`;
}
