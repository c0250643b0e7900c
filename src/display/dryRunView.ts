import type { View } from './display.ts';
import { drawMessage, labelled } from './drawing.ts';
import type { Fields } from './report.ts';

type DryRun = {
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
  /** The same as a sentence. */
  readonly rerunWords: string;
  readonly foundId: string | undefined;
  /** What the policies would say, where there are any. */
  readonly policy: { readonly word: string; readonly says: string } | undefined;
  /** What --propose would do, where it is given. */
  readonly proposal: string | undefined;
  readonly warnings: readonly string[];
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
      ...(dry.policy === undefined ? {} : { policy: dry.policy }),
      ...(dry.proposal === undefined ? {} : { proposal: dry.proposal }),
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
          ['Policy', dry.policy?.says],
          ['Proposal', dry.proposal],
          ['Re-run', `${dry.rerunWords}${dry.foundId === undefined ? '' : ` (intent ${dry.foundId})`}`],
        ],
        canvas,
      );
      const preview = dry.kind === 'message' ? `\n${drawMessage(dry.request, canvas)}` : '';
      return `${paint.bold('Dry run: nothing was journaled or sent')}\n${facts}${preview}`;
    },
  };
}
