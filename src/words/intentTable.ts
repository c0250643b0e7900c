import type { IntentFacts, NameSource } from '../intent/facts.ts';
import { notValid } from './complaints.ts';
import { textFaultWords } from './jsonText.ts';
import { listed } from './list.ts';
import { unseenWords } from './naming.ts';
import type { Sentence, Table } from './told.ts';

const example = 'Write it like https://bots.example.com.';

/** The URL is never echoed. */
const urlFaults: Readonly<
  Record<IntentFacts['bad-base-url']['fault'], readonly [problem: string, hint: string]>
> = {
  'not-a-url': ['is not a URL', example],
  'user-info': [
    'contains a user name or a password',
    'Leave them out: botctl signs in with the bot token only.',
  ],
  'not-https': [
    'is not https',
    'Use https: over http, anyone on the way can read the token. Plain http is allowed for this machine only.',
  ],
  query: ['has a query or a fragment', example],
  path: [
    'has a path that can be spelled in more than one way: it contains %, //, \\, ;, a dot segment, a blank or a character that is not ASCII',
    'Write the path plainly, like https://bots.example.com/team-a: one service must have one address.',
  ],
};

export const intentTable: Table<IntentFacts> = {
  'not-valid': notValid,
  'several-names': ({ sources }) => ({
    message: `Only one option can name an intent, but ${listed(sources.map(sourceWords))} are given`,
    hint: 'Keep --once for one thing that happens once, --run for all commands of one run, or --idempotency-key for a key of your own.',
  }),
  'empty-name': ({ source }) => ({
    message: `${sourceWords(source)} is empty. Under an empty name, different intents would count as one`,
    hint: 'Give a name that stays the same on a retry and is different otherwise, or leave it out (unset the variable).',
  }),
  'long-name': ({ source, mostBytes }) => badName(source, `is longer than ${mostBytes} bytes`),
  'unseen-in-name': ({ source, unseen }) => badName(source, unseenWords(unseen)),
  'bad-base-url': ({ name = 'The base URL', fault }) => {
    const [problem, hint] = urlFaults[fault];
    return { message: `${name} ${problem}`, hint };
  },
  'bad-text': ({ source, fault }) => ({
    message: `${source}, line ${fault.line}, column ${fault.column}: ${textFaultWords(fault)}`,
    hint: 'Fix the file and run the command again.',
  }),
};

function sourceWords(source: NameSource): string {
  return source === 'payload' ? 'the payload’s idempotency_key' : source;
}

function badName(source: NameSource, problem: string): Sentence {
  return {
    message: `${sourceWords(source)} ${problem}`,
    hint: 'Two names that look the same must be the same. Type the name again, in plain characters.',
  };
}
