import type { View } from './display.ts';
import { drawMessage, labelled } from './drawing.ts';
import type { Fields } from './report.ts';

export type DryRun = {
  readonly command: string;
  readonly kind: 'message' | 'transfer';
  readonly bot: string;
  readonly baseUrl: string;
  readonly url: string;
  readonly name: string | undefined;
  readonly key: string | undefined;
  readonly body: string;
  readonly request: Fields;
  readonly rerun: string;
  readonly foundId: string | undefined;
  readonly warnings: readonly string[];
};

const words: Readonly<Record<string, string>> = {
  new: 'no: it would be new',
  'new-after-done': 'no: the same was done before, and it would be done anew',
  again: 'yes: it did not happen before; the same key again',
  resume: 'yes: it would be resumed with its stored key and bytes',
  replay: 'yes: it was done; it would only be shown again',
  wait: 'yes: another process is sending it now',
  'needs-decision': 'yes: it is held; nothing would be sent',
  'leave-behind': 'no: an old undecided one would be left behind, and it would be new',
  'other-body': 'refused: the name belongs to another body',
  'other-bot': 'refused: the name belongs to another bot',
  'unfinished-twin': 'refused: the same payment is not settled under another name',
  'wait-for-twin': 'the same payment is being sent by another process; it would wait',
};

/** The exact request without the token, the key if it is known, and what running it would mean. */
export function dryRunView(dry: DryRun): View {
  return {
    json: {
      schema: 'botctl/1',
      command: dry.command,
      outcome: 'dry-run',
      rerun: dry.rerun,
      ...(dry.foundId === undefined ? {} : { found: dry.foundId }),
      intent: {
        kind: dry.kind,
        ...(dry.key === undefined ? {} : { key: dry.key }),
        ...(dry.name === undefined ? {} : { name: dry.name }),
        bot: dry.bot,
        base_url: dry.baseUrl,
        request: dry.request,
      },
      http: { method: 'POST', url: dry.url, body: dry.body },
      warnings: dry.warnings,
    },
    human: (canvas) => {
      const { paint } = canvas;
      const facts = labelled(
        [
          ['Bot', dry.bot],
          ['Request', `POST ${dry.url}`],
          ['Body', dry.body],
          ['Name', dry.name],
          ['Key', dry.key ?? 'random, chosen when it is sent'],
          [
            'Re-run',
            `${words[dry.rerun] ?? dry.rerun}${dry.foundId === undefined ? '' : ` (intent ${dry.foundId})`}`,
          ],
        ],
        canvas,
      );
      const preview = dry.kind === 'message' ? `\n${drawMessage(dry.request, canvas)}` : '';
      return `${paint.bold('Dry run: nothing was journaled or sent')}\n${facts}${preview}`;
    },
  };
}
