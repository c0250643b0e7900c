import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../src');

/** What each part may import, besides itself. A part that is missing here may import nothing. */
const allowed: Record<string, readonly string[]> = {
  errors: [],
  folders: ['context', 'errors'],
  context: ['display', 'engine'],
  cli: ['context', 'errors', 'version', 'wrap'],
  completion: ['cli'],
  doctor: ['journal', 'profile', 'wire', 'intent', 'errors'],
  intent: ['errors'],
  lock: ['errors'],
  input: ['errors'],
  wire: ['intent', 'errors'],
  journal: ['lock', 'wire', 'intent', 'errors'],
  engine: ['journal', 'wire', 'intent', 'errors'],
  batch: ['engine', 'journal', 'wire', 'intent', 'input', 'errors'],
  profile: ['lock', 'input', 'intent', 'errors', 'folders', 'context'],
  display: ['journal', 'wire', 'intent', 'errors', 'wrap'],
  sandbox: ['errors', 'folders', 'lock'],
  // Loaded by tests and scripts only.
  schema: ['engine', 'journal', 'errors'],
  commands: [
    'batch',
    'cli',
    'completion',
    'context',
    'display',
    'doctor',
    'engine',
    'errors',
    'folders',
    'input',
    'intent',
    'journal',
    'lock',
    'profile',
    'sandbox',
    'wire',
    'version',
  ],
  version: [],
  wrap: [],
  program: ['cli', 'errors', 'version'],
  commandLine: ['cli', 'errors', 'program'],
  main: ['cli', 'commandLine', 'commands', 'context', 'display', 'engine', 'errors', 'program'],
};

/** Only these files may import these packages (whole value imports; types cost nothing at run time). */
const homes: Record<string, RegExp> = {
  commander: /^(commandLine|program)\.ts$|^cli\//u,
  conf: /^profile\//u,
  undici: /^wire\//u,
  ora: /^display\//u,
  chalk: /^display\//u,
  'csv-parse': /^batch\//u,
  litesvm: /^sandbox\//u,
  '@solana/kit': /^sandbox\//u,
};

type Import = { from: string; to: string; typeOnly: boolean };

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)(\s+type)?[^;'"]*?from\s*'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/gu,
  );
  return [...found].map(([, type, from, dynamic, bare]) => ({
    from: relative(src, file),
    to: from ?? dynamic ?? bare ?? '',
    typeOnly: type !== undefined,
  }));
}

function partOf(path: string): string {
  const [first = ''] = path.split('/');
  return first.replace(/\.ts$/u, '');
}

const all = files(src).flatMap(importsOf);

describe('the arrows between the parts', () => {
  for (const part of new Set(files(src).map((file) => partOf(relative(src, file))))) {
    test(`${part} imports only what lies below it`, () => {
      const crossings = all
        .filter((one) => partOf(one.from) === part && one.to.startsWith('.'))
        .map((one) => ({
          ...one,
          part: partOf(relative(src, resolve(dirname(join(src, one.from)), one.to))),
        }))
        .filter(
          (one) =>
            one.part !== part && !one.part.startsWith('..') && !(allowed[part] ?? []).includes(one.part),
        );
      expect(crossings).toEqual([]);
    });
  }

  test('each library has one home', () => {
    const strays = all.filter(({ from, to, typeOnly }) => !typeOnly && homes[to] && !homes[to].test(from));
    expect(strays).toEqual([]);
  });

  test('nothing is called utils, helpers or index', () => {
    const names = files(src).map((file) => relative(src, file));
    expect(names.filter((name) => /(^|\/)(utils?|helpers?|common|index)(\.ts|\/)/u.test(name))).toEqual([]);
  });
});
