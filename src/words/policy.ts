import type { PolicyWord } from '../engine/spend.ts';
import { amountOf } from '../intent/units.ts';
import type { Refusal } from '../policy/rules.ts';
import { formatAmountOf } from './amount.ts';
import { listed } from './list.ts';
import type { Words } from './phrases.ts';
import { iso } from './time.ts';
import type { Allowance } from './told.ts';

/** What a refusal says beside its sentences. */
export type Refused = {
  readonly allowance?: Allowance;
  /** Two addresses, to be compared character by character. */
  readonly beside?: { readonly given: string; readonly known: string };
};

const noUse = 'Running the same command again changes nothing.';

/** Which rule speaks against it, what is left, and when more is free. */
export function policyWords(refusal: Refusal): Words & Refused {
  switch (refusal.rule) {
    case 'asset':
      return {
        message: `The policy ${refusal.source} names no limits for ${refusal.asset}, and an asset that it does not name is refused`,
        hint: `${noUse} If ${refusal.asset} is to be spent, give it a line under limits.`,
        next: [['policy', 'show']],
      };
    case 'recipient':
      return {
        message: `The policy ${refusal.source} allows its recipients only (only_recipients), and ${refusal.to} is not one of them`,
        hint: `${noUse} If this address is to be paid, name it under recipients.`,
        next: [['policy', 'show']],
      };
    case 'lookalike':
      return lookalikeWords(refusal);
    case 'fresh-journal':
      return {
        message: `The policy ${refusal.source} limits ${refusal.asset} a day, and this journal is too young to say what was spent in the last 24 hours: it counts since ${iso(refusal.sinceMs)}`,
        hint: `Use the journal that was used before, or wait until ${iso(refusal.freeAtMs)}. Where every journal is new, as on a CI runner, "fresh_journal": "allow" in the policy lets it begin to count.`,
        next: [['policy', 'show']],
        allowance: { remaining: '0', freeAtMs: refusal.freeAtMs },
      };
    default:
      return limitWords(refusal);
  }
}

type OverLimit = Refusal & { readonly rule: 'transfer' | 'day' | 'recipient-day' };

const limitNames: Readonly<Record<OverLimit['rule'], (refusal: OverLimit) => string>> = {
  transfer: () => 'in one transfer',
  day: () => 'in 24 hours, by all bots of the journal',
  'recipient-day': (refusal) => `in 24 hours to one address${'to' in refusal ? ` (${refusal.to})` : ''}`,
};

function limitWords(refusal: OverLimit): Words & Refused {
  const { source, asset, units, limit, remaining, rule } = refusal;
  const of = (amount: bigint): string => formatAmountOf(amountOf(amount), asset);
  const left =
    rule === 'transfer' ? '' : ` ${remaining === 0n ? 'Nothing' : `Only ${of(remaining)}`} of it is left.`;
  const freeAt = 'freeAtMs' in refusal ? refusal.freeAtMs : undefined;
  const spenders = 'spentBy' in refusal ? (refusal.spentBy ?? []) : [];
  const never = rule === 'transfer' ? 'Send less at once' : 'This is more than the limit itself: send less';
  return {
    message: `The policy ${source} allows ${of(limit)} ${limitNames[rule](refusal)}, and this is ${of(units)}.${left}${spentBy(spenders)}`,
    hint:
      (freeAt === undefined
        ? `${noUse} ${never}, or ask whoever may change the policy.`
        : `Running the same command again changes nothing before ${iso(freeAt)}. From then on enough is free for it, if nothing else is spent.`) +
      (spenders.length === 0 ? '' : ` ${ownJournal}`),
    next: [['policy', 'show']],
    allowance: { remaining: amountOf(remaining), ...(freeAt === undefined ? {} : { freeAtMs: freeAt }) },
  };
}

const ownJournal =
  'A limit counts all services of a journal: a staging service needs a journal of its own (--journal FILE).';

function spentBy(spenders: readonly { readonly bot: string; readonly url: string }[]): string {
  if (spenders.length === 0) return '';
  return ` It was spent by ${listed(spenders.map(({ bot, url }) => `${bot} at ${url}`))}.`;
}

function lookalikeWords({ to, like, name }: Refusal & { rule: 'lookalike' }): Words & Refused {
  const known = name === undefined ? 'an address that was paid before' : `the recipient ${name}`;
  return {
    message: `The address ${to} looks like ${known}, ${like}, but is a different one. Such addresses are made so that somebody copies the wrong one`,
    hint: `Compare them character by character. If this one is really meant, name it under recipients in the policy: there is no other way.`,
    next: [['policy', 'show']],
    beside: { given: to, known: like },
  };
}

export function rowsLookAlike(line: number, address: string, other: string): string {
  return `Line ${line}: the address ${address} looks like ${other} of another row, but is a different one. Compare them character by character.`;
}

/** For a dry run: nothing is counted for it, and others may spend meanwhile. */
export function dryPolicyWords(word: PolicyWord): string {
  switch (word.is) {
    case 'allowed':
      return 'it would be allowed, as things stand now';
    case 'needs-approval':
      return 'it would be held until a person approves it';
    case 'refused':
      return `it would be refused. ${policyWords(word.refusal).message}`;
  }
}
