import type { Retry } from '../errors.ts';

/** What a caller may do next, as a sentence. */
export const retryWords: Readonly<Record<Retry, string>> = {
  'same-command': 'Run the same command again.',
  'after-fix': 'Fix what the error names, then run the command again.',
  decide: 'Check the wallet or the conversation, then run botctl resolve or botctl resume.',
};
