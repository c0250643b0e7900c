import { flippedPage, overwrittenPage } from './wounds.ts';

/** Known findings: injuries that are not always noticed. Their effects are counted below the table. */
const known: Readonly<Record<string, readonly string[]>> = {
  'what hits a page of journal.db itself': [flippedPage, overwrittenPage],
  'what hits the kept reply to an attempt': ['a bit flipped in the reply to an attempt'],
};

export function knownFlaw(injury: string): string | undefined {
  return Object.entries(known).find(([, injuries]) => injuries.includes(injury))?.[0];
}
