import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { hasTool } from '../support/tools.ts';

let home: Home;
let env: Record<string, string>;

const dangerous = "x'$(touch run)`touch run`;touch run";

beforeAll(async () => {
  home = new Home();
  env = { ...home.env, PATH: home.pathWithBotctl(), TERM: 'xterm' };
  const profile = { 'base-url': 'https://bots.example.com', token: { kind: 'env', variable: 'X' } };
  home.writeConfig({ version: 1, profiles: { prod: profile, stage: profile, [dangerous]: profile } });
  const rows = home.file('rows.csv', 'conversation_id,content\nconv_demo,Hello\n');
  env = { ...env, BOTCTL_JOURNAL: join(home.path, 'journal.db') };
  const sandbox = ['--sandbox', '--journal', env.BOTCTL_JOURNAL ?? ''];
  const line = [...sandbox, 'batch', 'send', rows, '--once', 'hello-1', '--yes'];
  expect((await botctlHere(line, { env })).code).toBe(0);
});
afterAll(() => home.remove());

async function script(shell: string): Promise<string> {
  const { code, stdout } = await botctlHere(['completion', shell], { env });
  expect(code).toBe(0);
  return home.file(`completion.${shell}`, stdout);
}

/** What is typed, and everything that may come next; `some` where more may. */
const cases: readonly { words: string[]; some?: string[]; all?: string[] }[] = [
  { words: ['tran'], all: ['transfer'] },
  { words: ['config', 'se'], all: ['set'] },
  { words: [''], some: ['send', 'transfer', 'history', 'config', 'completion'] },
  { words: ['history', '--sta'], all: ['--state'] },
  { words: ['history', '--state', 're'], all: ['rejected', 'resolved'] },
  { words: ['--profile', 'pr'], all: ['prod'] },
  { words: ['config', 'show', 'st'], all: ['stage'] },
  { words: ['send', '--but'], all: ['--button'] },
  { words: ['--sandbox', 'batch', 'status', 'h'], all: ['hello-1'] },
  { words: ['batch', 'send', 'x', '--once', 'hel'], all: ['hello-1'] },
  { words: ['completion', 'z'], all: ['zsh'] },
];

function judge(found: string[], { words, some, all }: (typeof cases)[number]): void {
  const shown = found.filter((word) => word !== '').sort();
  if (all !== undefined) expect({ words, shown }).toEqual({ words, shown: [...all].sort() });
  if (some !== undefined) expect(shown).toEqual(expect.arrayContaining(some));
}

describe('in bash', () => {
  const typed = (words: readonly string[]): string =>
    `COMP_WORDS=(botctl ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _botctl; ` +
    `printf '%s\\n' "\${COMPREPLY[@]}"; echo ==`;

  test('completes commands, options, values, profiles and batches', async () => {
    const path = await script('bash');
    const lines = cases.map(({ words }) => typed(words)).join('\n');
    const { stdout, stderr } = await ended('bash', ['-c', `source ${path}\n${lines}`], { env });
    expect(stderr).toBe('');
    const answers = stdout.split('==\n');
    for (const [index, one] of cases.entries()) judge((answers[index] ?? '').split('\n'), one);
  });

  test('runs nothing of what it lists', async () => {
    const path = await script('bash');
    const line = `source ${path}\n${typed(['--profile', ''])}`;
    const { stdout } = await ended('bash', ['-c', line], { env, cwd: home.path });
    expect(stdout).toContain('touch');
    expect(existsSync(join(home.path, 'run'))).toBe(false);
  });
});

describe.skipIf(!hasTool('fish'))('in fish', () => {
  test('completes commands, options, values, profiles and batches', async () => {
    const path = await script('fish');
    const typed = ({ words }: (typeof cases)[number]): string =>
      `complete -C '${['botctl', ...words].join(' ')}' | string replace -r '\\t.*' ''; echo ==`;
    const line = `source ${path}\n${cases.map(typed).join('\n')}`;
    const { stdout, stderr } = await ended('fish', ['--no-config', '-c', line], { env });
    expect(stderr).toBe('');
    const answers = stdout.split('==\n');
    for (const [index, one] of cases.entries()) judge((answers[index] ?? '').split('\n'), one);
    expect(existsSync(join(home.path, 'run'))).toBe(false);
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
  test('completes commands, options, values, profiles and batches', async () => {
    const path = await script('zsh');
    const out = join(home.path, 'zsh.out');
    const typed = [
      ['botctl tran', 'botctl transfer '],
      ['botctl config se', 'botctl config set '],
      ['botctl history --sta', 'botctl history --state '],
      ['botctl history --state hel', 'botctl history --state held '],
      ['botctl --profile pr', 'botctl --profile prod '],
      ['botctl --sandbox batch status h', 'botctl --sandbox batch status hello-1 '],
    ];
    const harness = zshHarness.replace('$LINES_TO_TYPE', typed.map(([line]) => `'${line}'`).join(' '));
    const zsh = await ended('zsh', ['-f', '-c', harness], { env: { ...env, SCRIPT: path, OUT: out } });
    expect(zsh.stderr).toBe('');
    expect(readFileSync(out, 'utf8')).toBe(typed.map(([, after]) => `${after}\n`).join(''));
  });
});
