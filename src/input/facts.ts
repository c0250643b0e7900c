import { failing } from '../errors.ts';
import type { DiskTrouble } from '../machine/disk.ts';

/** Of what a file or stdin holds; `name` is what people call it. */
export type InputFacts = {
  unreadable: { readonly name: string; readonly trouble: DiskTrouble };
  interrupted: { readonly name: string };
};

const codes = { unreadable: 'bad-file', interrupted: 'interrupted' } as const;

export const inputFailure = failing<InputFacts>('input', codes);
