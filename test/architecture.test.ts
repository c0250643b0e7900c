import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../src');
const beside = ['testing', 'proof', 'bench', 'scripts', 'golden'].map((name) =>
  resolve(import.meta.dirname, '..', name),
);

/** What each part imports exactly, besides itself. A part that is missing here imports nothing. */
const allowed: Record<string, readonly string[]> = {
  batch: ['bot', 'engine', 'errors', 'input', 'intent', 'journal', 'machine', 'policy'],
  bot: ['chain', 'errors', 'input', 'intent', 'machine', 'wire', 'words'],
  // What a Solana node proves.
  chain: ['intent', 'journal', 'wire'],
  cli: ['context', 'errors', 'version', 'words', 'wrap'],
  commands: [
    'batch',
    'bot',
    'chain',
    'cli',
    'context',
    'display',
    'doctor',
    'engine',
    'errors',
    'input',
    'intent',
    'journal',
    'machine',
    'policy',
    'sandbox',
    'version',
    'wire',
    'words',
  ],
  compiled: ['machine'],
  context: ['display', 'machine', 'words'],
  display: ['batch', 'chain', 'errors', 'intent', 'journal', 'wire', 'words', 'wrap'],
  doctor: ['journal', 'wire', 'words'],
  engine: ['bot', 'errors', 'intent', 'journal', 'machine', 'policy', 'wire'],
  errors: ['machine'],
  input: ['errors', 'machine'],
  intent: ['errors'],
  journal: ['errors', 'intent', 'machine', 'wire'],
  machine: [],
  main: ['cli', 'context', 'display', 'engine', 'errors', 'machine', 'tree', 'words'],
  policy: ['errors', 'intent', 'machine'],
  sandbox: ['machine'],
  // The tree names every command; what a command needs loads when it runs.
  tree: ['cli', 'commands'],
  wire: ['errors', 'intent'],
  words: [
    'batch',
    'bot',
    'chain',
    'engine',
    'errors',
    'input',
    'intent',
    'journal',
    'machine',
    'policy',
    'wire',
  ],
};

/** Which parts import a package, or anything inside it, exactly. No part imports one that is missing here. */
const homes: Record<string, readonly string[]> = {
  '@noble/ed25519': ['intent', 'sandbox'],
  '@photostructure/sqlite': ['batch', 'journal', 'machine', 'sandbox'],
  '@scure/base': ['chain', 'intent', 'sandbox'],
  chalk: ['display'],
  commander: ['cli'],
  conf: ['bot'],
  'csv-parse': ['batch'],
  'jsonc-parser': ['intent'],
  litesvm: ['sandbox'],
  ora: ['display'],
  pg: ['journal'],
  'string-width': ['display'],
  undici: ['wire'],
  ws: ['sandbox'],
  zod: ['bot', 'intent', 'policy'],
};

type Import = { from: string; to: string };

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
    /(?:^|\n)\s*(?:import|export)[^;'"]*?from\s*'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/gu,
  );
  return [...found].map(([, from, dynamic, bare]) => ({
    from: relative(src, file),
    to: from ?? dynamic ?? bare ?? '',
  }));
}

function partOf(path: string): string {
  const [first = ''] = path.split('/');
  return first.replace(/\.ts$/u, '');
}

const all = files(src).flatMap(importsOf);

/** The package that something is imported from, whole or by a path inside it; undefined for Node's own and ours. */
function packageOf(to: string): string | undefined {
  return /^(?!\.|node:)(@[^/]+\/[^/]+|[^/]+)/u.exec(to)?.[1];
}

/** What a part really imports of the other parts. */
function partsImportedBy(part: string): Set<string> {
  const names = all
    .filter(({ from, to }) => partOf(from) === part && to.startsWith('.'))
    .map(({ from, to }) => partOf(relative(src, resolve(dirname(join(src, from)), to))));
  return new Set(names.filter((name) => name !== part && !name.startsWith('..')));
}

/** Files from which a path along the imports leads back to themselves, each circle once. */
function circles(folders: readonly string[]): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (way.includes(file) || done.has(file) || !file.endsWith('.ts')) return;
    const ours = importsOf(file).filter(({ to }) => to.startsWith('.'));
    for (const { to } of ours) visit(resolve(dirname(file), to), [...way, file]);
    done.add(file);
  };
  for (const file of folders.flatMap(files)) visit(file, []);
  return found;
}

describe('the arrows between the parts', () => {
  test('no files form a circle, types and what is loaded later included', () => {
    expect(circles([src, ...beside])).toEqual([]);
  });

  for (const part of new Set(files(src).map((file) => partOf(relative(src, file))))) {
    test(`${part} imports exactly what the table says`, () => {
      expect([...partsImportedBy(part)].sort()).toEqual([...(allowed[part] ?? [])].sort());
    });
  }

  test('form no circle, but through words', () => {
    const wayBack = (part: string, way: readonly string[] = []): string[] =>
      way.includes(part)
        ? [[...way.slice(way.indexOf(part)), part].join(' → ')]
        : (allowed[part] ?? [])
            .filter((next) => next !== 'words')
            .flatMap((next) => wayBack(next, [...way, part]));
    expect(Object.keys(allowed).flatMap((part) => (part === 'words' ? [] : wayBack(part)))).toEqual([]);
  });

  test('each library is imported where its home is, and nowhere else', () => {
    const found: Record<string, Set<string>> = {};
    for (const { from, to } of all) {
      const name = packageOf(to);
      if (name !== undefined) found[name] = (found[name] ?? new Set()).add(partOf(from));
    }
    const sorted = Object.entries(found).map(([name, parts]) => [name, [...parts].sort()]);
    expect(Object.fromEntries(sorted)).toEqual(
      Object.fromEntries(Object.entries(homes).map(([name, parts]) => [name, [...parts].sort()])),
    );
  });

  test('nothing is called utils, helpers or index', () => {
    const names = files(src).map((file) => relative(src, file));
    expect(names.filter((name) => /(^|\/)(utils?|helpers?|common|index)(\.ts|\/)/u.test(name))).toEqual([]);
  });
});

/** Words that once stood for several things each. docs/architecture.md has the word for each thing. */
const retired = /(^|[a-z])(World|Doing|Asked|Sought|Speaker|Voice|Knock|Wish|Weather|Crowd)s?(?=[A-Z]|$)/u;

/** What a file names for others to import. */
function exportedNames(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(
    /^export (?:async )?(?:function\*?|const|let|class|type|interface) ([\w$]+)/gmu,
  );
  return [...found].map(([, name = '']) => name);
}

/** The files that import this one, of all that there are. */
function importersOf(file: string, all: readonly Source[]): Source[] {
  return all.filter(({ path, imports }) => path !== file && imports.has(file));
}

type Source = { readonly path: string; readonly text: string; readonly imports: ReadonlySet<string> };

function sourceOf(path: string): Source {
  const imports = importsOf(path).map(({ to }) => resolve(dirname(path), to));
  return { path, text: readFileSync(path, 'utf8'), imports: new Set(imports) };
}

describe('names', () => {
  test('of what is exported have none of the words that meant several things', () => {
    const named = [src, ...beside].flatMap(files).flatMap((file) =>
      exportedNames(file)
        .filter((name) => retired.test(name.charAt(0).toUpperCase() + name.slice(1)))
        .map((name) => `${file}: ${name}`),
    );
    expect(named).toEqual([]);
  });

  test('are exported only where another file takes them', () => {
    const everything = [src, import.meta.dirname, ...beside].flatMap(files).map(sourceOf);
    // It takes what is built.
    const start = readFileSync(resolve(import.meta.dirname, '../bin/botctl.js'), 'utf8');
    const unused = files(src).flatMap((file) => {
      const importers = [...importersOf(file, everything), { text: start }];
      return exportedNames(file)
        .filter((name) => !importers.some(({ text }) => new RegExp(`\\b${name}\\b`, 'u').test(text)))
        .map((name) => `${relative(src, file)}: ${name}`);
    });
    expect(unused).toEqual([]);
  });
});

describe('what judges the program', () => {
  test('takes nothing out of test/: what tests, proof and bench share is in testing/', () => {
    const found = beside.flatMap(files).flatMap((file) =>
      importsOf(file)
        .filter(
          ({ to }) => to.startsWith('.') && resolve(dirname(file), to).startsWith(`${import.meta.dirname}/`),
        )
        .map(({ to }) => `${file}: ${to}`),
    );
    expect(found).toEqual([]);
  });

  test('plays the golden files without knowing more of src than how it is started', () => {
    const golden = files(resolve(import.meta.dirname, '../golden')).flatMap(importsOf);
    expect(golden.flatMap(({ to }) => (to.startsWith('../src/') ? [to] : []))).toEqual(['../src/main.ts']);
  });

  test('has the expected tables from the design alone: they import nothing', () => {
    expect(importsOf(join(import.meta.dirname, 'engine/design.ts'))).toEqual([]);
  });
});
