/**
 * Something that was acknowledged to this machine: an attempt of an intent by its number, a decision or observation by
 * its time, or a policy by its number, with its time as the id.
 */
export type Note = {
  readonly what: 'attempt' | 'decision' | 'observation' | 'policy';
  readonly id: string;
  readonly number: number;
};
