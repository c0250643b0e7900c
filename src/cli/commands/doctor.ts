import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { chainViewOf } from '../../chain/paidAgain.ts';
import { systemProgram } from '../../chain/transaction.ts';
import { isPaidAgain } from '../../chain/verdict.ts';
import { diskTroubleOf } from '../../machine/disk.ts';
import { envBot, sandboxBot } from '../../once/connection.ts';
import { closedFor } from '../../once/engine/answers.ts';
import { isApprovedAndUnsent, isProposal } from '../../once/engine/standing.ts';
import { withoutApiPath } from '../../once/entry/baseUrl.ts';
import { asFailure, type Failure, failureWith } from '../../once/failures.ts';
import { states } from '../../once/journal/columns.ts';
import { journalFailure } from '../../once/journal/failures.ts';
import type { Journal, StateCounts } from '../../once/journal/journal.ts';
import { counted, formatCount, listed } from '../../once/phrases.ts';
import { type Sentence, type Suggestion, sentence } from '../../once/sentence.ts';
import { endpoint, type Reply } from '../../once/wire/flight.ts';
import { adviceOn, troubleWords } from '../../once/wire/trouble.ts';
import { type App, once } from '../app.ts';
import type { ChainBot } from '../bot/chooseBot.ts';
import { isEmptyFile, isThere, mayBeThere, openAt, shownLocation, withServer } from '../open/journal.ts';
import type { Run } from '../parse/command.ts';
import { balanceTimeoutMs } from '../run/balance.ts';
import { openChain, refuseNoMint, refuseOtherCluster } from '../run/chain.ts';
import type { Canvas, Paint, View } from '../show/display.ts';
import { pad } from '../show/table.ts';
import { foldAtBlanks, safeLine } from '../show/text.ts';
import { balanceText } from '../wording/balance.ts';
import { approvedNotSent } from '../wording/entry.ts';
import { adviceOf, withLacking } from '../wording/suggest.ts';

type Level = 'ok' | 'warn' | 'fail';

/** What one check found and, if something is wrong, what to do. */
export type Finding = {
  readonly check: string;
  readonly level: Level;
  readonly says: string;
  readonly todo?: string;
  /** Commands that fix it, each ready to paste. */
  readonly next?: readonly Suggestion[];
};

type CheckResult = Sentence & { readonly level: Level };

const at =
  (level: Level) =>
  (...how: Parameters<typeof sentence>): CheckResult => ({ ...sentence(...how), level });
const [ok, warn, fail] = [at('ok'), at('warn'), at('fail')];

/** What the checks look at. Each is asked once for all checks. If it fails, only the first check says why. */
type Subject = {
  readonly app: App;
  readonly reply: () => Promise<Answered>;
  /** Undefined if the bot names no node. */
  readonly chain: () => Promise<Node | undefined>;
  /** Undefined if none exists yet. */
  readonly journal: () => Promise<Journal | undefined>;
};

type Answered = {
  readonly bot: ChainBot;
  readonly url: string;
  readonly reply: Reply;
  readonly atMs: number;
};
type Node = Awaited<ReturnType<typeof openChain>>['node'];

type Check = { readonly name: string; ask(subject: Subject): Promise<CheckResult | undefined> };

/** A check. If `look` returns undefined, the check is not shown. */
function check<Facts>(
  name: string,
  look: (subject: Subject) => Facts | Promise<Facts>,
  verdict: (facts: NonNullable<Facts>) => CheckResult | undefined,
): Check {
  return {
    name,
    ask: async (subject) => {
      const facts = await look(subject);
      return facts === undefined || facts === null ? undefined : verdict(facts);
    },
  };
}

const noticedMs = 30_000;

const disks = {
  tmpfs: 'in memory (tmpfs), and is lost when this machine stops',
  overlay: 'in a container’s own layer (overlay), and is lost when the container is removed',
  network: 'on a network disk, whose locks may not reach all machines',
} as const;

const checks: readonly Check[] = [
  check(
    'node',
    () => process.versions as NodeJS.Dict<string>,
    ({ bun, node = '' }) => (bun === undefined ? ok`Node ${node}` : ok`Bun ${bun}, in botctl’s own file`),
  ),
  check(
    'bot',
    ({ app }) => app.connectedBot(),
    ({ bot }) => ok`${bot.name}`,
  ),
  check(
    'sandbox',
    async ({ app }) => {
      if ((await app.connectedBot()).bot.name !== sandboxBot) return undefined;
      const { chainTrouble } = await import('../../sandbox/chain.ts');
      return { trouble: chainTrouble() };
    },
    ({ trouble }) => {
      if (trouble === undefined) return ok`messages and real transfers`;
      return warn`messages only. ${trouble.message}
        ${trouble.hint}`;
    },
  ),
  check(
    'address',
    ({ reply }) => reply(),
    ({ url }) => ok`${url} answers`,
  ),
  check(
    'token',
    ({ reply }) => reply(),
    ({ bot: { name, tokenSource }, reply: { status } }) => {
      if (status === 401) {
        const next = name === envBot ? [] : [['config', 'set', name, 'token']];
        return {
          ...fail`from ${tokenSource}; the service refuses it (401)
          Give the bot another token.`,
          next,
        };
      }
      if (status === 403)
        return warn`from ${tokenSource}; it may not send messages (403)
          Have the permission granted, unless the bot only pays.`;
      if ([400, 404, 422].includes(status)) return ok`from ${tokenSource}; the service accepts it`;
      return warn`from ${tokenSource}; the answer does not show whether it is accepted (${status})
        The first real command will show it.`;
    },
  ),
  check(
    'clock',
    async ({ reply: asked }) => {
      const { reply, atMs } = await asked();
      return atMs - Date.parse(reply.headers.date ?? '');
    },
    (aheadMs) => {
      if (Number.isNaN(aheadMs)) return undefined;
      if (Math.abs(aheadMs) <= noticedMs) return ok`agrees with the service’s`;
      return warn`${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the service’s
        Set the clock: the age of an unknown transfer is measured with it.`;
    },
  ),
  check(
    'chain',
    ({ chain }) => chain(),
    ({ host, clusterName = 'unknown' }) => ok`${host}: cluster ${clusterName}`,
  ),
  check('wallet', walletOf, ({ wallet, owner, node, holdings }) => {
    if (owner !== undefined && owner !== 'none' && owner !== systemProgram)
      return fail`${wallet} belongs to the program ${owner}, so it is not a wallet
        Set the address of the bot’s own wallet, the owner of its token accounts.`;
    const text = balanceText({ is: 'asked', host: node.host, cluster: node.clusterName, holdings });
    if (holdings.some(({ held }) => 'because' in held))
      return warn`${text}
        Try again later.`;
    if (holdings.every(({ held }) => 'units' in held && held.units === 0n))
      return warn`the wallet ${wallet} holds nothing on ${node.clusterName ?? 'this cluster'}
        Check the address and the cluster, or add money to it.`;
    return ok`${text}`;
  }),
  check(
    'policy',
    // Opens the bot first: if that fails, the bot check has already shown it, so this check shows nothing.
    async ({ app }) => (await app.connectedBot()) && app.policies(),
    (policies) => ok`${listed(policies.map(({ source }) => source))}`,
  ),
  check(
    'journal',
    async ({ journal, app }) => {
      const [opened, where] = [await journal(), await app.where()];
      const named = where.namedBy === 'journal' ? ' (botctl config journal names it)' : '';
      const closed = opened && (await closedFor(opened.reads, opened));
      return { opened, closed, place: `${await shownLocation(where)}${named}` };
    },
    ({ opened, closed, place }) => {
      if (opened === undefined) return ok`none yet; the first command creates ${place}`;
      if (closed !== undefined) return failed(closed);
      if (opened.isNoted) return ok`${place} has everything that it acknowledged to this machine`;
      return ok`${place}: nothing shows whether it is complete, as it has acknowledged nothing to this machine`;
    },
  ),
  check(
    'sqlite',
    async ({ app }) => {
      if ((await app.where()).is === 'shared') return undefined;
      return (await import('../../once/journal/file/upkeep.ts')).sqliteVersion();
    },
    ({ version, losesCommits }) => {
      if (!losesCommits) return ok`SQLite ${version}`;
      return fail`SQLite ${version} can lose a commit when two processes use one journal
        Install botctl again, with the SQLite that it comes with.`;
    },
  ),
  check(
    'disk',
    async ({ app }) => {
      const where = await app.where();
      if (where.is === 'shared') return undefined;
      const { diskKind } = await import('../../once/journal/file/upkeep.ts');
      return diskKind(nearest(dirname(where.path)));
    },
    (kind) => warn`the journal is ${disks[kind]}
      Keep it on a local disk that stays: name a file there with --journal or BOTCTL_JOURNAL.`,
  ),
  check(
    'entries',
    async ({ journal }) => {
      const opened = await journal();
      return opened && entriesIn(opened);
    },
    ({ counts, waiting, approved, paidAgain: again }) => {
      const text = inAList(counts, waiting, approved);
      if (again > 0)
        return warn`${text}; ${counted(again, 'payment was', 'payments were')} made more than once
          This lists them, until somebody has noted each with botctl resolve --happened:
          $ verify --all`;
      if (counts.unknown || counts.sending)
        return warn`${text}
          Run the same command again, or resume everything that no process is sending:
          $ history --state unknown
          $ resume --all`;
      if (approved > 0)
        return warn`${text}
          To send what was approved, run its own command again, or this:
          $ resume --all`;
      if (counts.held)
        return warn`${text}
          They are waiting for you to decide. The history shows them:
          $ history --state held`;
      return ok`${text}`;
    },
  ),
  check(
    'durable',
    async ({ journal, app }) => {
      const [opened, where] = [await journal(), await app.where()];
      if (opened === undefined || where.is === 'file') return undefined;
      return withServer(where.address, app, async ({ server: { settings } }) =>
        (['fsync', 'full_page_writes'] as const).filter((name) => settings[name] !== 'on'),
      );
    },
    (off) =>
      off.length === 0
        ? undefined
        : warn`
      ${listed(off)} off: the server may lose what it has acknowledged, and the same command would send that again
      Have the setting changed, unless the server’s disk is safe without it (as ZFS is without full_page_writes).`,
  ),
];

export const run: Run = async (app) => {
  const findings = await examine(app);
  const inOrder = findings.every(({ level }) => level !== 'fail');
  await app.display.show(doctorView(app.args.command, findings, inOrder));
  return inOrder ? 0 : 1;
};

/** Looks at a bot, its service and this machine. Sends no message and no payment. */
export async function examine(app: App): Promise<readonly Finding[]> {
  const subject = subjectOf(app);
  const said = new Set<unknown>();
  const findings: Finding[] = [];
  for (const { name, ask } of checks) {
    try {
      const verdict = await ask(subject);
      if (verdict !== undefined) findings.push(finding(name, verdict));
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (failure.code === 'interrupted' || failure.code === 'bug') throw failure;
      if (!said.has(thrown)) findings.push(finding(name, failed(failure)));
      said.add(thrown);
    }
  }
  return findings;
}

function finding(name: string, { level, message, hint, next = [] }: CheckResult): Finding {
  return {
    check: name,
    level,
    says: message,
    ...(hint === undefined ? {} : { todo: hint }),
    ...(next.length === 0 ? {} : { next }),
  };
}

/** A failure as a verdict. It need not say that nothing was sent: the doctor sends no message and no payment. */
function failed({ message, details: { hint, next = [] } }: Failure): CheckResult {
  // The user is already running the doctor, so the advice to run it is replaced.
  if (next.some((one) => '0' in one && one[0] === 'doctor'))
    return fail`${message}
      Check the journal’s path or URL, the network in between, and whether the server is running.`;
  const others = next.map((one) => ('decides' in one ? { decides: one.decides } : one));
  return { level: 'fail', message, hint: hint ?? 'Run it with --verbose to see more.', next: others };
}

function subjectOf(app: App): Subject {
  const { display, clock, interrupts } = app;
  const { timeoutMs } = app.settings();
  return {
    app,
    reply: once(async () => {
      const { bot, connection } = await app.connectedBot();
      const { url, channel } = connection;
      const without = withoutApiPath(url);
      if (without !== undefined)
        throw failureWith('base-url')`${url} ends with a path that botctl adds itself
          Give it without that: ${without}`;
      await connection.ready();
      // A message without a conversation or content: the service must refuse it.
      const shipment = { url: endpoint(url, 'message'), token: bot.token, body: Buffer.from('{}') };
      const limits = { timeoutMs: timeoutMs ?? 5_000, cut: interrupts.first, lastCheck: () => undefined };
      const reply = await display.waiting(`Connecting to ${url}`, channel.fly(shipment, limits));
      if (reply.came === 'reply') return { bot, url, reply, atMs: clock.now() };
      const { headersSent, trouble } = reply;
      throw failureWith('unreachable')`
        ${url} ${headersSent ? 'gave no reply' : 'cannot be reached'}: ${troubleWords(trouble)}
        ${adviceOn(trouble) ?? 'Check the base URL, the network, and whether a proxy is needed (HTTPS_PROXY)'}.`;
    }),
    chain: once(async () => {
      const { bot } = await app.connectedBot();
      if (bot.chain === undefined) return undefined;
      const chain = await openChain(bot, app, { timeoutMs: timeoutMs ?? balanceTimeoutMs });
      const mints = Object.keys(bot.chain.assets).map((asset) => refuseNoMint(asset, chain, bot));
      await display.waiting('Asking the Solana node', Promise.all([refuseOtherCluster(chain), ...mints]));
      return chain.node;
    }),
    journal: once(async () => {
      const where = await app.where();
      if (where.is === 'file') {
        const { path } = where;
        refuseUnwritable(path);
        if (isEmptyFile(path) ? ![`${path}-wal`, `${path}.note`].some(mayBeThere) : !isThere(where))
          return undefined;
        const { refuseDamage } = await import('../../once/journal/file/upkeep.ts');
        refuseDamage(path);
      }
      // Opens a file as a send would. On a server it only looks, because the server may be a standby.
      const journal = await openAt(where, app, where.is === 'file' ? 'send' : 'look');
      if (journal.lost !== undefined) throw journal.lost;
      // Fails if another process keeps the journal locked.
      if (where.is === 'file') await journal.commit(async () => {});
      return journal;
    }),
  };
}

/** The path itself if it exists, otherwise the nearest existing folder above it. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

/** Refuses a journal that cannot be written. The doctor writes nothing, so SQLite would not notice. */
function refuseUnwritable(path: string): void {
  try {
    accessSync(nearest(path), constants.W_OK);
    const { blocks, bavail } = statfsSync(nearest(dirname(path)));
    // Some file systems report no blocks at all.
    if (blocks > 0 && bavail === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  } catch (error) {
    throw journalFailure('not-writable', { path, trouble: diskTroubleOf(error) }, error);
  }
}

async function walletOf({ chain, app }: Subject) {
  const [node, { bot }] = [await chain(), await app.connectedBot()];
  const profile = bot.chain;
  const wallet = profile?.wallet;
  if (node === undefined || wallet === undefined) return undefined;
  const assets = Object.entries(profile?.assets ?? {}).map(([asset, mint]) => ({ asset, mint }));
  const asked = Promise.all([node.ownerOf(wallet), node.holdings(wallet, [{ asset: 'SOL' }, ...assets])]);
  const [owner, holdings] = await app.display.waiting('Asking the Solana node', asked);
  return { wallet, owner, node, holdings };
}

async function entriesIn({ reads }: Journal) {
  let [waiting, approved, paidAgain] = [0, 0, 0];
  for await (const entry of reads.select({ states: ['held', 'open'], limit: Number.MAX_SAFE_INTEGER })) {
    if (isProposal(entry)) waiting += 1;
    if (isApprovedAndUnsent(entry)) approved += 1;
  }
  for (const entry of await reads.repeated()) {
    if (isPaidAgain(await chainViewOf(entry, reads))) paidAgain += 1;
  }
  return { counts: await reads.stateCounts(), waiting, approved, paidAgain };
}

/** The number of entries in each state. */
function inAList(counts: StateCounts, waiting: number, approved: number): string {
  const more: Readonly<Record<string, string>> = {
    ...(waiting > 0 && { held: ` (${counted(waiting, 'waits', 'wait')} for approval)` }),
    ...(approved > 0 && { open: ` (${formatCount(approved)} ${approvedNotSent})` }),
  };
  const parts = states.flatMap((state) => {
    const count = counts[state];
    return count ? [`${formatCount(count)} ${state}${more[state] ?? ''}`] : [];
  });
  return parts.join(', ') || 'none';
}

const marks: Readonly<Record<Level, (paint: Paint) => string>> = {
  ok: (paint) => paint.green('ok  '),
  warn: (paint) => paint.yellow('warn'),
  fail: (paint) => paint.red('fail'),
};

const nameWidth = 8;
const indent = 4 + 2 + nameWidth + 2;

function drawOne({ check: name, level, says: text, todo, next = [] }: Finding, canvas: Canvas): string {
  const { paint, columns } = canvas;
  const suggested = canvas.suggest(next);
  const folded = (line: string): string[] => foldAtBlanks(safeLine(line), Math.max(20, columns - indent));
  const [first = '', ...rest] = [
    ...folded(text),
    ...(todo === undefined ? [] : folded(`→ ${withLacking(adviceOf(todo, suggested.by), suggested)}`)),
    ...suggested.lines.map((line) => `  ${safeLine(line)}`),
  ];
  const head = `${marks[level](paint)}  ${paint.bold(pad(name, nameWidth))}  ${first}`;
  return [head, ...rest.map((line) => ' '.repeat(indent) + line)].map((line) => `${line}\n`).join('');
}

function doctorView(command: string, findings: readonly Finding[], inOrder: boolean): View {
  return {
    json: { schema: 'botctl/1', command, in_order: inOrder, checks: findings },
    human: (canvas) => findings.map((one) => drawOne(one, canvas)).join(''),
    quiet: inOrder ? 'ok' : 'fail',
  };
}
