import type { PlanKind, RerunFinding } from '../src/once/engine/planKinds.ts';

// The table of re-runs in words, for people who change the program. `src/cli/say` has other words for those who run it.

/** What a command finds: the rows of the table. */
export const rerunFindings: Readonly<Record<RerunFinding, string>> = {
  'other-bot': 'a name held by another bot',
  'other-body':
    'named, other canonical body, unless it was rejected or resolved as did-not-happen, never tainted and never proposed',
  'being-sent': 'sending, its owner alive',
  'forgotten-in-doubt': 'unknown or sending with a dead owner, an unnamed message past its key age',
  unfinished: 'open, unknown, sending with a dead owner',
  'forgotten-held': 'held, an unnamed message past its key age',
  held: 'held',
  'reported-ahead': 'accepted, or resolved as happened, unnamed, reported more than 5 min ahead of now',
  done: 'accepted, or resolved as happened: named, not yet reported by any command, or first reported within the window',
  'done-long-ago': 'the same, unnamed, outside the window',
  declined: 'declined: named, or unnamed and within the window',
  'unnamed-not-done': 'rejected, or resolved as did-not-happen, unnamed',
  'named-not-done': 'the same, named',
};

/** What happens then. */
export const planWords: Readonly<Record<PlanKind, string>> = {
  new: 'a new intent with a new key',
  'new-after-done': 'a new intent; a notice (on a terminal, the question) says when the same was last done',
  'leave-behind': 'left behind with a notice, and a new intent begins',
  again: 'the same key again; with a changed body only if it never may have happened and was never proposed',
  resume: 'resumed with its stored key and stored bytes',
  replay:
    'shown again from the journal: nothing is sent, and a notice says so and names --once. On a terminal, without --yes, an unnamed one asks whether to do it again',
  wait: 'waited for, --max-wait at most (then 9), and its outcome reported; never a second request',
  'needs-decision': 'not sent; says which decision is needed',
  declined: 'not sent; says who declined it, and why',
  'reported-ahead': 'not sent; says that it needs a name',
  'other-body': 'not sent',
  'other-bot': 'not sent',
  'other-url': 'not sent; names both base URLs',
  'unknown-at-other-url': 'not sent; names both base URLs',
  'held-at-other-url': 'not sent; names both base URLs, and which decision is needed',
  'wait-for-twin': 'the twin is waited for, --max-wait at most; then the journal is asked again',
  'unfinished-twin': 'not sent; names the twin, and says how to settle it',
  'recently-done': 'not sent; shows the twin, and the command under a name. On a terminal it asks instead',
};
