import { Told } from './told.ts';

export function otherJournal(source: string, pinned: string, place: string): Told {
  return new Told(
    'policy-journal',
    `The policy ${source} allows the journal ${pinned} only, and this command uses ${place}`,
    {
      hint: 'In another journal nothing would be counted that was spent before. Use the journal that the policy names:',
      next: [['policy', 'show']],
    },
  );
}

/** Of a profile that was given it a moment ago. */
export function policyNotUsable(message: string): string {
  return `${message} Until that is fixed, this profile sends nothing.`;
}
