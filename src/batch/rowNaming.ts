import type { Naming } from '../intent/naming.ts';

export type RowNaming = Naming & { readonly by: 'row' };

/** A row with an `id` is that id of its batch, whatever its place in the file. */
export function namedById(name: string, id: string): RowNaming {
  return { by: 'row', name, row: `id:${id}`, id };
}

/** A row without one is its body, and which of its equals it is: reordering changes nothing. */
export function namedByBody(name: string, canonical: string, ordinal: number): RowNaming {
  return { by: 'row', name, row: `body:${ordinal}:${canonical}` };
}
