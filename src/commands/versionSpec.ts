import type { LeafSpec } from '../cli/spec.ts';

/** Alone it is answered without the program being loaded, as `--version` is. */
export const versionSpec: LeafSpec = {
  name: 'version',
  does: 'looks',
  about: 'Print the version',
  hidden: true,
  examples: [],
  exits: [0, 1, 2],
  load: async () => (await import('./version.ts')).run,
};
