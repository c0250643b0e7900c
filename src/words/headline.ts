import { nothingSentNow } from './nothing.ts';

/** How an intent stands, for the line above all that is shown of it. */
type HeadlineFacts = {
  readonly kind: 'message' | 'transfer';
  readonly state: string;
  readonly resolvedAs: string | undefined;
  /** The service, or an earlier run, had done it before. */
  readonly isDoneBefore: boolean;
  /** Told from the journal alone. */
  readonly isReplayed: boolean;
  /** Nothing shows that what was accepted is what was asked for. */
  readonly isUnverified: boolean;
};

const nouns = { message: 'Message', transfer: 'Transfer' } as const;
const done = { message: 'sent', transfer: 'made' } as const;

export function headlineOf({ isReplayed, ...standing }: HeadlineFacts): string {
  const line = `${nouns[standing.kind]} ${stateOf(standing)}`;
  return isReplayed ? `${line}. ${nothingSentNow}` : line;
}

function stateOf({
  kind,
  state,
  resolvedAs,
  isDoneBefore,
  isUnverified,
}: Omit<HeadlineFacts, 'isReplayed'>): string {
  const already = isDoneBefore ? 'already ' : '';
  if (state === 'resolved') return `resolved: ${resolvedAs}`;
  if (state !== 'accepted') return state;
  return `${already}${isUnverified ? 'accepted' : done[kind]}`;
}
