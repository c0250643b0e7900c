import type { Terminal } from '../../src/machine/process.ts';

/** For a program that runs in this process: whoever started the tests at a terminal is not asked. */
export const nobody: Terminal = {
  look: () => ({ is: 'none' }),
  open: () => {
    throw new Error('there is no terminal to open');
  },
};
