import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ended, type Ran } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { damageJournal } from '../support/damageJournal.ts';
import { Home } from '../support/home.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';
import { payAda, sendHello } from '../support/sandboxHome.ts';

/** What is in use where a suggestion leaves something out: another bot, at another service, with another journal. */
let decoy: TestSandbox;
let service: TestSandbox;
let home: Home;
let env: Record<string, string>;
let work: string;

beforeAll(async () => {
  [service, decoy] = await Promise.all([startTestSandbox(), startTestSandbox()]);
});
afterAll(() => Promise.all([service.close(), decoy.close()]));

beforeEach(async () => {
  for (const sandbox of [service, decoy]) {
    await sandbox.reset();
    await sandbox.clearFaults();
    sandbox.lines.length = 0;
  }
  home = new Home();
  work = join(home.path, 'it\'s $HOME "work" ünï');
  mkdirSync(work);
  env = { ...home.env, PATH: home.pathWithBotctl() };
  home.writeConfig({
    version: 1,
    'in-use': 'decoy',
    profiles: {
      decoy: { 'base-url': decoy.baseUrl, token: { kind: 'stored', secret: decoy.tokens.full } },
      side: { 'base-url': service.baseUrl, token: { kind: 'stored', secret: service.tokens.full } },
    },
  });
});
afterEach(() => home.remove());

type Way = {
  readonly words: readonly string[];
  readonly env: Record<string, string>;
  readonly journal: string;
};

const oddName = "my 'odd' $journal;ü.db";

/** The ways to name the bot, its service and the journal. */
const ways: Record<string, () => Way> = {
  '--profile and --journal': () => ({
    words: ['--profile', 'side', '--journal', join(work, oddName)],
    env: {},
    journal: join(work, oddName),
  }),
  '--token-file, --base-url and a journal whose name looks like an option': () => {
    writeFileSync(join(work, '-the token'), service.tokens.full, { mode: 0o600 });
    return {
      words: ['--token-file=-the token', '--base-url', service.baseUrl, '--journal=./-j.db'],
      env: {},
      journal: join(work, '-j.db'),
    };
  },
  'the environment, with --journal beside BOTCTL_JOURNAL': () => ({
    words: ['--journal', join(work, oddName)],
    env: { BOTCTL_PROFILE: 'side', BOTCTL_JOURNAL: join(work, 'not-this.db') },
    journal: join(work, oddName),
  }),
  'the environment alone': () => ({
    words: [],
    env: {
      BOTCTL_TOKEN: service.tokens.full,
      BOTCTL_BASE_URL: service.baseUrl,
      BOTCTL_JOURNAL: join(work, oddName),
    },
    journal: join(work, oddName),
  }),
};

const tries = ['--max-wait', '0s'];

function run(argv: readonly string[], way: Way): Promise<Ran> {
  return botctlHere([...argv, ...way.words, ...tries], { env: { ...env, ...way.env }, cwd: work });
}

/** As an operator does: what stands in capitals is filled in first. */
function filledIn(line: string): string {
  return line.replace(/WHAT YOU SAW|WHY IT IS GIVEN UP/u, 'looked at the wallet');
}

/** In a shell, whose `botctl` is a process of its own. */
function pasteApart(line: string, way: Way): Promise<Ran> {
  return ended('/bin/sh', ['-c', filledIn(line)], { env: { ...env, ...way.env }, cwd: work });
}

/** In a shell, which reads its words; but a `botctl` with them runs in this process. */
async function paste(line: string, way: Way): Promise<Ran> {
  const inEnv = { ...env, ...way.env };
  const spying = `botctl() { printf '%s\\0' botctl "$@"; }\n${filledIn(line)}`;
  const read = await ended('/bin/sh', ['-c', spying], { env: inEnv, cwd: work });
  const [program, ...words] = read.stdout.split('\0').slice(0, -1);
  return program === 'botctl' ? botctlHere(words, { env: inEnv, cwd: work }) : read;
}

/** The lines that are meant to be pasted. */
function linesIn({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): string[] {
  return [...`${stderr}\n${stdout}`.matchAll(/^ {10,}((?:botctl|mv|chmod) .*)$/gmu)].map(
    ([, line = '']) => line,
  );
}

/** Node 22's own copy makes folders that others may read. */
function copyTree(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** Each line on its own, from the same state: what was there before is put back. */
async function pasteEach(
  said: Ran,
  way: Way,
  check: (line: string, pasted: Ran) => void = () => {},
): Promise<string[]> {
  const lines = linesIn(said);
  expect(lines, said.stderr).not.toEqual([]);
  const kept = `${home.path}.kept`;
  copyTree(home.path, kept);
  try {
    for (const line of lines) {
      const pasted = await paste(line, way);
      refuseElsewhere(line, pasted, way);
      check(line, pasted);
      rmSync(home.path, { recursive: true });
      copyTree(kept, home.path);
    }
  } finally {
    rmSync(kept, { recursive: true });
  }
  return lines;
}

/** What a service was asked to do. */
function requestsOf({ lines }: TestSandbox): unknown[] {
  return lines.filter(({ operation }) => operation === 'message' || operation === 'transfer');
}

/** A pasted line is understood, finds the journal it is about, and speaks to nobody else. */
function refuseElsewhere(line: string, { code, stderr }: Ran, way: Way): void {
  const why = `${line}\n${stderr}`;
  const isUnderstood = code !== 2 || /^botctl: (\d+ rows? (is|are) not valid|Rows not done)/mu.test(stderr);
  if (!/^botctl config /u.test(line)) expect(isUnderstood, why).toBe(true);
  expect(stderr, why).not.toMatch(/no journal|No entry in|There is no profile/u);
  expect(code, why).not.toBe(127);
  expect(existsSync(way.journal), why).toBe(true);
  expect(existsSync(join(home.path, 'data', 'botctl', 'journal.db')), why).toBe(false);
  expect(existsSync(join(work, 'not-this.db')), why).toBe(false);
  expect(requestsOf(decoy), why).toEqual([]);
}

function faults(...specs: Parameters<TestSandbox['faults']>): Promise<void> {
  return service.faults(...specs);
}

async function unknownPayment(way: Way): Promise<Ran> {
  await faults({ kind: 'drop', when: 'before', operation: 'transfer' });
  const lost = await run(payAda, way);
  expect(lost.code).toBe(9);
  return lost;
}

/** Those in whose words a suggestion has most to write, and those in which it has nothing. */
const [byOptions = '', byFile = '', besideVariable = '', byEnvironment = ''] = Object.keys(ways);
const wayOf = (name: string): Way => {
  const make = ways[name];
  if (make === undefined) throw new Error(name);
  return make();
};

describe('a suggestion of a command', () => {
  test.each([byOptions, byEnvironment])('to resume what is unknown resumes it, given %s', async (given) => {
    const way = wayOf(given);
    const lines = linesIn(await unknownPayment(way));
    expect(lines).toHaveLength(1);
    const line = lines.join('');
    const pasted = await pasteApart(line, way);
    refuseElsewhere(line, pasted, way);
    expect(pasted.code, line).toBe(0);
    expect(await service.ledger()).toHaveLength(1);
    expect(requestsOf(service).length).toBeGreaterThan(1);
  });

  test.each(Object.keys(ways))(
    'to look first shows it, and decides nothing for a person, given %s',
    async (given) => {
      const way = wayOf(given);
      await run([...sendHello, '--once', 'n'], way);
      const sayNothing = { kind: 'reply', status: 200, body: 'OK', when: 'before' } as const;
      await faults({ ...sayNothing, operation: 'message' });
      const held = await run(sendHello, way);
      await unknownPayment(way);
      const equal = await run([...payAda, '--memo', 'another'], way);
      const taken = await run(
        ['send', '--conversation', 'conv_demo', '--content', 'Other', '--once', 'n'],
        way,
      );
      expect([held.code, equal.code, taken.code]).toEqual([10, 10, 6]);
      for (const said of [held, equal, taken]) {
        const lines = await pasteEach(said, way, (line, { code, stderr }) =>
          expect(code, `${line}\n${stderr}`).toBe(0),
        );
        expect(lines.map((line) => line.split(' ')[1])).toEqual(['history']);
      }
      expect(await service.ledger()).toHaveLength(1);
    },
  );

  test.each([byOptions, byFile])(
    'for a batch is the whole command, and the flag, given %s',
    async (given) => {
      const way = wayOf(given);
      const file = "it's $rows.csv";
      const header = 'id,conversation_id,content\n';
      writeFileSync(join(work, file), `${header}1,conv_demo,one\n2,conv_demo,\n`);
      const batch = ['batch', 'send', file, '--once', 'some rows', '--concurrency', '3'];
      const invalid = await run(batch, way);
      expect(invalid.code).toBe(2);
      await pasteEach(invalid, way, (line) => {
        expect(line).toContain('--skip-invalid');
        expect(line).toContain('--concurrency 3');
      });
      expect(await service.ledger()).toHaveLength(1);
      writeFileSync(join(work, file), `${header}3,conv_demo,three\n4,conv_none,four\n`);
      await faults({ kind: 'reply', status: 200, body: 'OK', when: 'before', operation: 'message' });
      const lines = await pasteEach(await run(batch, way), way);
      expect(lines.map((line) => line.split(' ')[1])).toEqual(expect.arrayContaining(['history', 'batch']));
    },
  );

  test.each([byFile, besideVariable])(
    'of history, resume, resolve and doctor is found and understood, given %s',
    async (given) => {
      const way = wayOf(given);
      await unknownPayment(way);
      await run(sendHello, way);
      const { stdout } = await run(['history', '--json', '--limit', '1'], way);
      const accepted = JSON.parse(stdout).entry.id as string;
      for (const argv of [
        ['history', 'ffff0000'],
        ['history', 'ff'],
        ['resume'],
        ['resolve', accepted, '--happened', '--reason', 'x'],
        ['doctor'],
      ])
        await pasteEach(await run(argv, way), way);
    },
  );
});

/** As a killed process leaves it. */
function leaveUnknown({ journal }: Way, id: string, state = 'unknown'): void {
  damageJournal(
    journal,
    `UPDATE entries SET state = '${state}', was_in_doubt = 1, in_doubt_since = created_at WHERE id = '${id}'`,
  );
}

describe('a suggestion of a command given --sandbox', () => {
  const journal = (): Way => ({
    words: ['--sandbox', '--journal', join(work, oddName)],
    env: { BOTCTL_PROFILE: 'side', BOTCTL_JOURNAL: join(work, 'not-this.db') },
    journal: join(work, oddName),
  });

  test('has it, whatever it suggests: no real service hears of it', async () => {
    const way = journal();
    await run([...sendHello, '--once', 'n'], way);
    await run(sendHello, way);
    const { stdout } = await run(['history', '--json', '--limit', '1'], way);
    const { id } = JSON.parse(stdout).entry as { id: string };
    writeFileSync(join(work, 'rows.csv'), 'conversation_id,content\nconv_demo,one\n');
    writeFileSync(join(work, 'bad.csv'), 'conversation_id,content\nconv_demo,one\nconv_demo,\n');
    let count = 0;
    const each = async (argv: readonly string[]): Promise<void> => {
      for (const line of await pasteEach(await run(argv, way), way)) {
        expect(line).toMatch(/ --sandbox /u);
        expect(line).toContain(' --journal ');
        count += 1;
      }
    };
    for (const argv of [
      ['send', '--conversation', 'conv_demo', '--content', 'Other', '--once', 'n'],
      ['batch', 'send', 'rows.csv'],
      ['batch', 'send', 'bad.csv', '--once', 'rows'],
      ['history', 'ffff0000'],
      ['resume'],
      ['resolve', id, '--did-not-happen', '--reason', 'x'],
    ])
      await each(argv);
    leaveUnknown(way, id);
    await each(['doctor']);
    leaveUnknown(way, id, 'held');
    await each(['resume', id]);
    await each(['doctor']);
    expect(count).toBeGreaterThan(9);
    expect(requestsOf(service)).toEqual([]);
  });

  test('is added with the journal where an entry turns out to be the sandbox’s', async () => {
    const way = journal();
    await run(sendHello, way);
    const { stdout } = await run(['history', '--json'], way);
    const { id } = JSON.parse(stdout).entry as { id: string };
    leaveUnknown(way, id);
    const without = { ...way, words: way.words.slice(1) };
    const said = await run(['resume', id], without);
    expect(said.code).toBe(9);
    await pasteEach(said, without, (line, pasted) => {
      expect(line).toContain(' --sandbox ');
      expect(pasted.code, `${line}\n${pasted.stderr}`).toBe(0);
    });
  });
});

describe('what came from stdin', () => {
  test('cannot be pasted, and is said to be given again', async () => {
    const stdin = 'conversation_id,content\nconv_demo,one\nconv_demo,\n';
    const way = wayOf(byOptions);
    const argv = ['batch', 'send', '-', '--once', 'n', ...way.words];
    const refused = await botctlHere(argv, { env, cwd: work, stdin });
    expect(refused.stderr).toContain('The command read stdin: give it the same input again.');
    expect(linesIn(refused)).toEqual([]);
    const json = await botctlHere([...argv, '--json'], { env, cwd: work, stdin });
    const { error } = JSON.parse(json.stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(error.hint).toContain('The command read stdin');
    expect(error.next).toBeUndefined();
  });
});

test('a journal that is damaged is kept aside, its log too, by the line that says so', async () => {
  const way = wayOf(byOptions);
  await run(sendHello, way);
  writeFileSync(way.journal, 'no journal at all, but long enough to be looked at by who opens it'.repeat(9));
  const refused = await run(sendHello, way);
  expect(refused.code).toBe(1);
  const [line = ''] = linesIn(refused);
  expect((await paste(line, way)).code, line).toBe(0);
  expect(existsSync(way.journal)).toBe(false);
  expect(readFileSync(`${way.journal}.damaged`, 'utf8')).toContain('no journal at all');
});
