import { options } from '../parse/args.ts';
import { type ArgsOf, command } from '../parse/command.ts';

export const resumeSpec = command({
  group: 'Every day',
  does: 'sends',
  about: 'Send unknown entries again, and approved ones',
  details:
    'An unknown entry is sent again unchanged. The service does not repeat a request that it remembers. It may have forgotten a held one: check the wallet or the conversation first.',
  arguments: ['[ids...]  entries: the ID, its first characters, or a name'],
  options: options([
    '--all  everything unknown, also after a kill, and everything approved and not sent',
    '--held  with --all: held entries too, except those that wait for approval; asks, or needs --yes',
    '-y, --yes  do not ask for confirmation; needs whole IDs',
  ]),
  examples: { 'Finish what is unknown after a crash': 'botctl resume --all' },
});

export type ResumeArgs = ArgsOf<typeof resumeSpec>;
