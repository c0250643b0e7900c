import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Exit, failureWith } from '../../once/failures.ts';
import { formatAmountOf, isoExact } from '../../once/phrases.ts';
import type { RequestLog } from '../../sandbox/request.ts';
import type { RunningSandbox } from '../../sandbox/start.ts';
import type { App } from '../app.ts';
import { sandboxPort } from '../bot/sandboxProfile.ts';
import { sandboxFolder } from '../open/journal.ts';
import { openSandbox } from '../open/sandbox.ts';
import type { Display, View } from '../show/display.ts';
import { safeLine } from '../show/text.ts';
import type { SandboxArgs } from './sandbox.spec.ts';

/** Serves until the first Ctrl-C, then finishes requests in flight; the second stops at once. */
export async function run(app: App<SandboxArgs>): Promise<Exit> {
  const options = parse(app.args);
  const { display, interrupts } = app;
  const dataDir = options.ephemeral
    ? await mkdtemp(join(tmpdir(), 'botctl-sandbox-'))
    : resolve(options.data ?? sandboxFolder(app.env));
  if (options.ephemeral) app.owns({ close: () => rm(dataDir, { recursive: true, force: true }) });
  const lines = new LineQueue(display);
  const running = await openSandbox(
    {
      ...options,
      dataDir,
      onRequest: (line) => lines.add(lineView(line)),
    },
    'choose others with --port and --data.',
  );
  const greeted = await display.show(greeting(running, dataDir));
  if (greeted === 'written') await Promise.race([aborted(interrupts.first), lines.readerGone]);
  if (!interrupts.first.aborted) display.notice(readerGone);
  await Promise.race([running.close(), aborted(interrupts.second)]);
  await lines.written();
  return 0;
}

function parse(args: SandboxArgs) {
  const data = args.text('data');
  const ephemeral = args.flag('ephemeral');
  if (ephemeral && data !== undefined)
    throw failureWith('usage')`--ephemeral and --data cannot both be given.
      An ephemeral sandbox chooses its own folder and removes it.`;
  if (data === '')
    throw failureWith('usage')`--data is empty.
      Name a folder, or leave --data out.`;
  const port = args.text('port');
  return {
    port: portIn(port ?? '0'),
    ...(port === undefined ? { steadyPort: sandboxPort } : {}),
    data,
    ephemeral,
  };
}

function portIn(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/u.test(text) && port <= 65_535) return port;
  throw failureWith('usage')`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.
    Give such a number, or leave the option out.`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}

function greeting(running: RunningSandbox, dataDir: string): View {
  const { baseUrl, tokens, conversations, wallet, node } = running;
  const { rpcUrl: rpc_url, genesisHash: genesis_hash, assets } = node;
  const rows: [string, string][] = [
    ['token', tokens.full],
    ['token without send', tokens.no_send],
    ['token without wallet', tokens.no_wallet],
    ['conversations', conversations.join(' ')],
    ['wallet', wallet.address],
    ['', wallet.balances.map(({ asset, amount }) => formatAmountOf(amount, asset)).join(', ')],
    ['Solana node', rpc_url],
    ...Object.entries(assets).map(([symbol, mint]): [string, string] => [symbol, mint]),
    ['data', dataDir],
  ];
  return {
    json: {
      schema: 'botctl/1',
      command: 'sandbox',
      base_url: baseUrl,
      tokens,
      conversations,
      wallet,
      rpc_url,
      genesis_hash,
      assets,
    },
    human: ({ paint }) =>
      `${paint.bold('botctl sandbox')}  ${paint.cyan(baseUrl)}\n` +
      rows.map(([name, value]) => `  ${paint.dim(name.padEnd(20))}  ${safeLine(value)}\n`).join('') +
      `\n${paint.dim('Create a profile for it:')}\n  ${profileLine(running)}\n\n${paint.dim('Every request is shown here. Ctrl-C ends it.')}\n`,
    quiet: baseUrl,
  };
}

function profileLine({ baseUrl }: RunningSandbox): string {
  const where = baseUrl.endsWith(`:${sandboxPort}`) ? '' : ` --base-url ${baseUrl}`;
  return `botctl config add local --sandbox${where}`;
}

const keyShown = 8;

function cutKey(key: string, cut: string): string {
  const characters = [...key];
  return characters.length > keyShown ? `${characters.slice(0, keyShown).join('')}${cut}` : key;
}

function lineView({ at, operation, status, key, effect, reason }: RequestLog): View {
  return {
    json: {
      at: isoExact(at.getTime()),
      operation,
      status,
      key,
      effect,
      reason,
    },
    human: ({ paint }) => {
      const shownKey = key === undefined ? '–' : cutKey(key, '…');
      const colour = status === 0 || status >= 500 ? paint.red : status >= 300 ? paint.yellow : paint.green;
      const why = [effect ?? '', reason === undefined ? '' : `(${reason})`]
        .filter((text) => text !== '')
        .join(' ');
      const time = at.toTimeString().slice(0, 8);
      const cells = [paint.dim(time), operation.padEnd(8), colour(status === 0 ? '---' : String(status))];
      return `${cells.join('  ')}  ${safeLine(shownKey).padEnd(keyShown + '…'.length)}  ${safeLine(why)}`
        .trimEnd()
        .concat('\n');
    },
  };
}

/** Writes request lines in order. A write error does not end the service; a reader that is gone does. */
class LineQueue {
  readonly #display: Display;
  /** Resolves when stdout has no reader any more. */
  readonly readerGone: Promise<void>;
  #sayGone: () => void = () => {};
  #last: Promise<void> = Promise.resolve();
  #broken = false;

  constructor(display: Display) {
    this.#display = display;
    this.readerGone = new Promise((resolve) => {
      this.#sayGone = resolve;
    });
  }

  add(view: View): void {
    this.#last = this.#last.then(() => this.#write(view));
  }

  written(): Promise<void> {
    return this.#last;
  }

  async #write(view: View): Promise<void> {
    if (this.#broken) return;
    try {
      if ((await this.#display.show(view)) === 'closed') this.#sayGone();
    } catch (error) {
      this.#broken = true;
      this.#display.warn(
        `Requests are no longer shown: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}

const readerGone = 'The reader of the sandbox’s output is gone, so the sandbox ends.';
