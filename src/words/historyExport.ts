import { counted, formatCount } from './list.ts';
import { Told } from './told.ts';

export function notAFormat(value: string): Told {
  return new Told('usage', `--format ${JSON.stringify(value)} is not a format.`, {
    hint: 'Give csv or jsonl.',
  });
}

export function formatWithJson(): Told {
  return new Told('usage', '--json and --format exclude each other.', {
    hint: '--format jsonl prints one flat object for each settled intent; --json prints all that is known of each.',
  });
}

export function formatWithIds(): Told {
  return new Told('usage', '--format takes no IDs.', {
    hint: 'Narrow it with --name, --batch, --to, --since and the others.',
  });
}

export function exported(rows: number, digest: string): string {
  return `${counted(rows, 'row')}, SHA-256 ${digest}`;
}

export function exportIsCut(limit: number): string {
  const some = limit === 1 ? 'the oldest intent was' : `the oldest ${formatCount(limit)} intents were`;
  return `There are more: only ${some} looked at. Without --limit the export has all.`;
}

export function exportNotWhole(): string {
  return 'The reader went away before the end: the export is not whole.';
}

type Unsettled = { readonly id: string; readonly state: string };

/** What the books cannot know yet. `some` are the first of them. */
export function notAllSettled(count: number, some: readonly Unsettled[]): Told {
  const named = some.map(({ id, state }) => `${id} (${state})`).join(', ');
  const more = count > some.length ? ` and ${formatCount(count - some.length)} more` : '';
  return new Told(
    'not-all-settled',
    `${counted(count, 'intent')} ${count === 1 ? 'is' : 'are'} not settled and not in this export: ${named}${more}.`,
    {
      hint: 'Resume or resolve them, then export again.',
      next: [...new Set(some.map(({ state }) => state))].map((state) => ['history', '--state', state]),
    },
  );
}
