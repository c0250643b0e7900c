import type { WhyMayDiffer } from '../engine/judgement.ts';

/** The one line of a command whose message, or one of whose rows, the service knew or answered otherwise. */
export function mayDifferNote(why: WhyMayDiffer, rows = 1): string {
  const some = rows === 1 ? '' : `Of ${rows} rows: `;
  return why === 'known-key'
    ? `${some}The service had this key already. The name fixes the key, not the text: another machine may have sent another text under it.`
    : `${some}The service answered with another text or conversation than was asked for: another machine may have used the name.`;
}
