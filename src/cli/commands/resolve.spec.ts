import { options } from '../parse/args.ts';
import { type ArgsOf, command } from '../parse/command.ts';

export const resolveSpec = command({
  group: 'Every day',
  does: 'decides',
  about: 'Record what you found: it happened, or it did not',
  arguments: ['<ids...>  entries: the ID, its first characters, or a name'],
  options: options([
    '--happened  it happened; under a name, it is not sent again',
    '--signature <signature>  with --happened: the signature you found; botctl checks it on the chain if rpc-url is set',
    '--did-not-happen  it did not happen; the same command sends it again',
    '--reason <text>  what you saw and where; kept with name and time',
    '-y, --yes  do not ask for confirmation; needs whole IDs',
  ]),
  examples: {
    'You see the payment in the wallet':
      'botctl resolve 3f9a --happened --signature 5VERv8… --reason "seen in the explorer"',
    'You see no message in the conversation':
      'botctl resolve 3f9a --did-not-happen --reason "not in the conversation"',
    'List what waits for your decision': 'botctl history --state held',
  },
});

export type ResolveArgs = ArgsOf<typeof resolveSpec>;
