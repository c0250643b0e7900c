import type { Context, ParsedArgs } from '../../parse/command.ts';
import { counted, type Suggestion } from '../../say/phrases.ts';
import { isJournalThere, openWithoutWarning, whileOpen } from '../openJournal.ts';

/** An unknown transfer is never sent with another token. So this is said before the new one is asked for. */
export async function warnOfUnknown(name: string, given: ParsedArgs, context: Context): Promise<void> {
  // A token must be changeable whatever the journal is.
  const count = await unknownTransfers(name, given, context).catch(() => 0);
  if (count > 0) context.display.warn(...unknownUnderOldToken(name, count));
}

async function unknownTransfers(bot: string, given: ParsedArgs, context: Context): Promise<number> {
  if (!(await isJournalThere(given, context))) return 0;
  return whileOpen(openWithoutWarning(given, context, 'look'), async (journal) => {
    let count = 0;
    const selection = { states: ['unknown', 'sending'], kind: 'transfer', bot, limit: 1_000 } as const;
    for await (const { state, ownerLives } of journal.reads.select(selection))
      if (state === 'unknown' || !ownerLives) count += 1;
    return count;
  });
}

function unknownUnderOldToken(name: string, count: number): [says: string, next: readonly Suggestion[]] {
  const [transfers, are] = [counted(count, 'transfer'), count === 1 ? 'is' : 'are'];
  return [
    `${transfers} of ${name} ${are} unknown and can be settled under the old token only. With it:`,
    [['resume', '--all']],
  ];
}
