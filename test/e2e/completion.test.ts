import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandTree } from '../../src/tree.ts';
import { ended } from '../../testing/botctl.ts';
import { botctlHere } from '../../testing/builtHere.ts';
import { Home } from '../../testing/home.ts';
import { otherRecipient } from '../../testing/sandbox.ts';
import { payAda, SandboxHome } from '../../testing/sandboxHome.ts';
import { noTerminal, shellOnTerminal } from '../../testing/terminal.ts';
import { hasTool } from '../../testing/tools.ts';

let home: Home;
let env: Record<string, string>;
let intentId: string;

const dangerous = "x'$(touch run)`touch run`;touch run";

beforeAll(async () => {
  home = new Home();
  env = { ...home.env, PATH: home.pathWithBotctl(), TERM: 'xterm' };
  const profile = { 'base-url': 'https://bots.example.com', token: { kind: 'env', variable: 'X' } };
  home.writeConfig({ version: 1, profiles: { prod: profile, stage: profile, [dangerous]: profile } });
  const sent = await botctlHere(
    ['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'Grüße: "$(touch run)"', '--json'],
    { env },
  );
  intentId = JSON.parse(sent.stdout).intent.id;
});
afterAll(() => home.remove());

async function script(shell: string): Promise<string> {
  const { code, stdout } = await botctlHere(['completion', shell], { env });
  expect(code).toBe(0);
  return home.file(`completion.${shell}`, stdout);
}

/** What is typed, and everything that may come next; `all` where nothing else may. */
const cases = (): { words: string[]; some?: string[]; all?: string[] }[] => [
  { words: ['tran'], all: ['transfer'] },
  { words: ['config', 'se'], all: ['set'] },
  { words: [''], some: ['send', 'transfer', 'history', 'config', 'completion'] },
  { words: ['history', '--sta'], all: ['--state'] },
  { words: ['history', '--state', 're'], all: ['rejected', 'resolved'] },
  { words: ['--profile', 'pr'], all: ['prod'] },
  { words: ['--profile', 's'], all: ['stage'] },
  { words: ['send', '--but'], all: ['--button'] },
  { words: ['config', 'set', 'prod', 'key'], all: ['key-age'] },
  { words: ['--sandbox', 'history', intentId.slice(0, 6)], all: [intentId] },
  { words: ['--sandbox', 'verify', 'abc', intentId.slice(0, 6)], all: [intentId] },
  { words: ['--sandbox', 'resolve', intentId.slice(0, 6)], all: [] },
  { words: ['history', intentId.slice(0, 6)], all: [] },
  { words: ['completion', 'z'], all: ['zsh'] },
  { words: ['comp'], all: ['completion'] },
  { words: ['help', 'ex'], all: ['exit-codes'] },
  { words: ['help', 'opt'], all: ['options'] },
  { words: ['help', 'tran'], all: ['transfer'] },
];

/** One of each kind for each shell: its script only asks `botctl complete`. */
const ofShells = (): ReturnType<typeof cases> =>
  cases().filter(({ words }) =>
    /^(config se|history --state re|--profile pr|--sandbox history .*|history \w+|)$/u.test(words.join(' ')),
  );

function judge(found: string[], { words, some, all }: ReturnType<typeof cases>[number]): void {
  const shown = found.filter((word) => word !== '').sort();
  if (all !== undefined) expect({ words, shown }).toEqual({ words, shown: [...all].sort() });
  if (some !== undefined) expect(shown).toEqual(expect.arrayContaining(some));
}

/** What `botctl complete` offers, with what each is. */
async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await botctlHere(['complete', '--', ...words], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('botctl complete', () => {
  test('offers what may come next', async () => {
    for (const one of cases()) {
      const lines = await offered(...one.words);
      judge(
        lines.map((line) => line.split('\t')[0] ?? ''),
        one,
      );
    }
  });

  test('offers every command and option, and no hidden command', async () => {
    const shown = commandTree.filter(({ hidden }) => hidden !== true);
    expect(await offered('')).toEqual(shown.map(({ name, about }) => `${name}\t${about}`));
    for (const { about } of shown) expect(about).toMatch(/^[A-Z]/u);
    for (const spec of shown.flatMap((one) => ('children' in one ? [] : [one]))) {
      const names = (spec.options ?? []).map(({ flags }) => flags.match(/--[a-z-]+/u)?.[0] ?? '');
      const lines = await offered(spec.name, '-');
      expect(lines.map((line) => line.split('\t')[0])).toEqual(
        expect.arrayContaining([...names, '--json', '--help']),
      );
    }
  });

  test('leaves files to the shell', async () => {
    expect(await offered('transfer', '--payload', 'x')).toEqual([':file\t']);
    expect(await offered('transfer', '--payload=x')).toEqual([':file\t']);
    expect(await offered('sandbox', '--data', '')).toEqual([':folder\t']);
    expect(await offered('batch', 'transfer', '')).toEqual([':file\t']);
  });

  test('knows the batches of the journal and the recipients of the policy', async () => {
    const rows = home.file('rows.csv', 'conversation_id,content\nconv_demo,Hello\n');
    for (const name of ['hello-1', 'hello-2']) {
      const sent = await botctlHere(['--sandbox', 'batch', 'send', rows, '--once', name, '--yes'], { env });
      expect(sent.code).toBe(0);
    }
    expect(await offered('--sandbox', 'batch', 'status', 'h')).toEqual(['hello-2\t', 'hello-1\t']);
    expect(await offered('--sandbox', 'history', '--batch=hello-1')).toEqual(['--batch=hello-1\t']);
    const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
    const limits = { SOL: { transfer: '1' } };
    const policy = home.policy({ schema: 'botctl-policy/1', limits, recipients: { ada } });
    expect(await botctlHere(['config', 'set', 'prod', 'policy', policy], { env })).toMatchObject({ code: 0 });
    expect(await offered('--profile', 'prod', 'transfer', '--to', '@')).toEqual([`@ada\t${ada}`]);
    expect(await offered('transfer', '--to', '@')).toEqual([]);
  });

  test('offers to approve what waits for it, and to resume or resolve what is not finished otherwise', async () => {
    const operator = await SandboxHome.open();
    try {
      const idOf = (command: string[]) => operator.json(command).then(({ intent }) => intent?.id ?? '');
      await idOf([...payAda, '--once', 'done', '--yes']);
      const waits = await idOf([...payAda, '--once', 'waits', '--yes', '--propose']);
      await operator.sandbox.faults({ kind: 'drop', when: 'after', operation: 'transfer' });
      const pay = ['transfer', '--to', otherRecipient, '--asset', 'SOL', '--amount', '1', '--yes'];
      const unknown = await idOf([...pay, '--once', 'unknown', '--retries', '0']);
      const offers = async (command: string): Promise<string[]> =>
        (await operator.run(['complete', '--', command, ''])).stdout.match(/^[0-9a-f]{12}(?=\t)/gmu) ?? [];
      expect(await offers('approve')).toEqual([waits]);
      expect(await offers('decline')).toEqual([waits]);
      expect(await offers('resume')).toEqual([unknown]);
      expect(await offers('resolve')).toEqual([unknown]);
      expect((await offers('history')).length).toBe(3);
    } finally {
      await operator.close();
    }
  });

  test('knows the assets of the profile', async () => {
    const assets = JSON.stringify({ USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' });
    expect(await botctlHere(['config', 'set', 'stage', 'assets', assets], { env })).toMatchObject({
      code: 0,
    });
    const names = (lines: string[]) => lines.map((line) => line.split('\t')[0]);
    expect(names(await offered('--profile', 'stage', 'transfer', '--asset', ''))).toEqual(['SOL', 'USDC']);
    expect(names(await offered('transfer', '--asset', ''))).toEqual(['SOL']);
    expect(names(await offered('--profile', 'stage', 'history', '--asset=U'))).toEqual(['--asset=USDC']);
  });

  test('offers nothing, quietly, where there is nothing or it cannot be read', async () => {
    const other = new Home();
    other.writeConfig('{');
    for (const words of [
      ['--profile', ''],
      ['--sandbox', 'history', ''],
      ['batch', 'status', ''],
      ['transfer', '--to', ''],
    ]) {
      expect(await botctlHere(['complete', '--', ...words], { env: other.env })).toEqual({
        code: 0,
        signal: null,
        stdout: '',
        stderr: '',
      });
    }
    expect(existsSync(join(other.path, 'data'))).toBe(false);
    other.remove();
  });
});

describe.skipIf(!hasTool('bash'))('in bash', () => {
  test('completes commands, options, values, profiles and intents', async () => {
    const path = await script('bash');
    const asked = ofShells().map(
      ({ words }) =>
        `COMP_WORDS=(botctl ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _botctl; ` +
        `printf '%s\\n' "\${COMPREPLY[@]}"; echo ==`,
    );
    const { stdout, stderr } = await ended('bash', ['-c', `source ${path}\n${asked.join('\n')}`], { env });
    expect(stderr).toBe('');
    const answers = stdout.split('==\n');
    for (const [index, one] of ofShells().entries()) judge((answers[index] ?? '').split('\n'), one);
  });

  test('runs nothing of what it lists', async () => {
    const path = await script('bash');
    const line = `source ${path}; COMP_WORDS=(botctl --profile ''); COMP_CWORD=2; _botctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await ended('bash', ['-c', line], { env, cwd: home.path });
    expect(stdout).toContain('touch');
    expect(existsSync(join(home.path, 'run'))).toBe(false);
    expect(readFileSync(path, 'utf8')).not.toMatch(/\beval\b|compgen -W/u);
  });

  test('completes files where a file is wanted, and after =', async () => {
    const path = await script('bash');
    home.file('pay load.json', '{}');
    const line = (words: string, at: number) =>
      `source ${path}; COMP_WORDS=(${words}); COMP_CWORD=${at}; _botctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const files = await ended('bash', ['-c', line("botctl transfer --payload 'pay'", 3)], {
      env,
      cwd: home.path,
    });
    expect(files.stdout).toBe('pay load.json\n');
    const equals = await ended('bash', ['-c', line("botctl history --state = 'he'", 4)], { env });
    expect(equals.stdout).toBe('held\n');
    const open = await ended('bash', ['-c', line("botctl history --state '='", 3)], { env });
    expect(open.stdout.split('\n')).toContain('held');
    const name = await ended('bash', ['-c', line("botctl --profile prod transfer --to '@' a", 6)], { env });
    expect(name.stdout).toBe('@ada\n');
  });

  test.skipIf(noTerminal !== '')('keeps the @ of a name, at a terminal', async () => {
    const path = await script('bash');
    const { shown } = await shellOnTerminal(
      'exec bash --norc --noprofile -i',
      [
        [/[#$] $/u, `PATH='${env.PATH}'; source ${path}; PS1='ready> '\r`],
        ['ready> ', 'botctl --profile prod transfer --to @a\t'],
        [/--to @?ada /u, '\x15botctl --profile prod transfer --to=@a\t'],
        [/--to=@?ada /u, '\x15exit\r'],
      ],
      env,
    );
    expect(shown).toContain('--to @ada ');
    expect(shown).toContain('--to=@ada ');
  });
});

describe.skipIf(!hasTool('fish'))('in fish', () => {
  test('completes commands, options, values, profiles and intents', async () => {
    const path = await script('fish');
    const asked = ofShells().map(
      ({ words }) =>
        `complete -C '${['botctl', ...words].join(' ')}' | string replace -r '\\t.*' ''; echo ==`,
    );
    const { stdout, stderr } = await ended(
      'fish',
      ['--no-config', '-c', `source ${path}\n${asked.join('\n')}`],
      { env },
    );
    expect(stderr).toBe('');
    const answers = stdout.split('==\n');
    for (const [index, one] of ofShells().entries()) judge((answers[index] ?? '').split('\n'), one);
  });

  test('completes after =, and says what each is', async () => {
    const path = await script('fish');
    const line = `source ${path}; complete -C 'botctl --profile=pr'; complete -C 'botctl --sandbox history ${intentId}'`;
    const { stdout } = await ended('fish', ['--no-config', '-c', line], { env });
    expect(stdout).toContain('--profile=prod\thttps://bots.example.com');
    expect(stdout).toContain(`${intentId}\taccepted: conv_demo: Grüße`);
  });
});

/** A real zsh at a pseudo-terminal: the line as it stands after Tab is written to a file by a key of our own. */
const zshHarness = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1=; unsetopt beep zle_bracketed_paste; autoload -Uz compinit; compinit -u -d '$HOME'/.zcompdump'
zpty -w z 'source '$SCRIPT'; note() { print -r -- "$BUFFER" >> '$OUT'; BUFFER= }; zle -N note; bindkey "^G" note'
zpty -w z 'zle-line-init() { : >> '$OUT' }; zle -N zle-line-init'
wait_for() { for i in {1..2500}; do if [[ -e $OUT && $(wc -l < $OUT) -ge $1 ]] return; sleep 0.02; done }
wait_for 0
typeset -i count=0
for line in $LINES_TO_TYPE; do zpty -w -n z "$line"$'\\t\\a'; count+=1; wait_for $count; done
zpty -d z
`;

describe.skipIf(!hasTool('zsh'))('in zsh', () => {
  test('completes commands, options, values, profiles and intents', async () => {
    const path = await script('zsh');
    const out = join(home.path, 'zsh.out');
    const typed = [
      ['botctl tran', 'botctl transfer '],
      ['botctl config se', 'botctl config set '],
      ['botctl history --sta', 'botctl history --state '],
      ['botctl history --state hel', 'botctl history --state held '],
      ['botctl --profile pr', 'botctl --profile prod '],
      ['botctl --profile=pr', 'botctl --profile=prod '],
      [`botctl --sandbox history ${intentId.slice(0, 6)}`, `botctl --sandbox history ${intentId} `],
    ];
    const lines = typed.map(([line]) => `'${line}'`).join(' ');
    const harness = zshHarness.replace('$LINES_TO_TYPE', lines);
    const zsh = await ended('zsh', ['-f', '-c', harness], { env: { ...env, SCRIPT: path, OUT: out } });
    expect(zsh.stderr).toBe('');
    expect(readFileSync(out, 'utf8')).toBe(typed.map(([, after]) => `${after}\n`).join(''));
  });

  test('is also good as a file in fpath', async () => {
    const path = await script('zsh');
    expect(readFileSync(path, 'utf8').startsWith('#compdef botctl\n')).toBe(true);
    expect((await ended('zsh', ['-n', path], { env })).stderr).toBe('');
  });
});
