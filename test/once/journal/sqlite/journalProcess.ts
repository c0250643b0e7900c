import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildModule } from '../../../support/builtModule.ts';

export type JournalProgram = {
  /** Starts a process that runs `code` with `openJournal`, `path`, `entry(n)` and `say` at hand. */
  start(path: string, code: string): RunningJournal;
  remove(): void;
};

type RunningJournal = {
  readonly child: ChildProcess;
  /** What it said, a line at a time. */
  next(): Promise<string>;
  /** All it said; fails where it failed. */
  ended(): Promise<string[]>;
};

/** The journal alone as a program, so that other processes than this one can use it. */
export async function buildJournal(): Promise<JournalProgram> {
  const { href, remove } = await buildModule('src/once/journal/file/openJournal.ts');
  return { start: (path, code) => run(href, path, code), remove };
}

function run(href: string, path: string, code: string): RunningJournal {
  const program = `
    import { openJournal } from ${JSON.stringify(href)};
    const path = ${JSON.stringify(path)};
    const say = (text) => process.stdout.write(text + '\\n');
    const entry = (n) => ({ id: 'entry-' + n, kind: 'message', baseUrl: 'https://bots.example.com', spelledUrl: 'https://bots.example.com', bot: 'b',
      key: 'key-' + n, identity: 'identity-' + n, fingerprint: 'f', body: Buffer.from('{}') });
    const end = (verdict) => ({ phase: 'replied', verdict, duplicate: false, headers: {} });
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  let rest = '';
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      said.push(line);
      waiting.shift()?.(line);
    }
  });
  const closed = once(child, 'close');
  let read = 0;
  return {
    child,
    next: () => {
      const line = said[read];
      read += 1;
      if (line !== undefined) return Promise.resolve(line);
      return Promise.race([
        new Promise<string>((resolvePromise) => waiting.push(resolvePromise)),
        closed.then(() => Promise.reject(new Error(`it ended: ${errors}`))),
      ]);
    },
    ended: async () => {
      const [code] = await closed;
      if (code !== 0) throw new Error(`it ended with ${code}: ${errors}`);
      return said;
    },
  };
}
