import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../src');
const [support, golden, ...others] = ['test/support', 'test/golden', 'proof', 'bench', 'scripts'].map(
  (name) => resolve(import.meta.dirname, '..', name),
) as [string, string, ...string[]];
const beside = [support, golden, ...others];

/** The rooms and what stands beside them: what each imports of the others, exactly. */
const rooms: Record<string, readonly string[]> = {
  machine: [],
  once: ['machine'],
  postgres: ['machine', 'once'],
  // Guests of once, which knows none of them.
  policy: ['machine', 'once'],
  chain: ['once'],
  batch: ['machine', 'once', 'policy'],
  // It judges the program, so it shares no rule with it.
  sandbox: ['machine'],
  cli: ['batch', 'chain', 'machine', 'once', 'policy', 'postgres', 'sandbox'],
  // The tree names every command; what a command needs loads when it runs.
  commands: ['cli'],
  main: ['cli', 'commands', 'machine', 'once'],
};

/** What each folder of `once`, and each file beside them, imports of the rest of `once`, exactly. */
const insideOnce: Record<string, readonly string[]> = {
  failures: ['phrases', 'sentence'],
  phrases: [],
  sentence: [],
  input: ['failures', 'phrases', 'sentence'],
  entry: ['failures', 'phrases'],
  wire: ['failures', 'entry'],
  journal: ['failures', 'entry', 'phrases', 'wire'],
  connection: ['entry', 'wire'],
  engine: ['connection', 'failures', 'entry', 'journal', 'phrases', 'sentence', 'wire'],
};

/** Which rooms, or folders of a room, import a package, exactly. No other imports one. */
const homes: Record<string, readonly string[]> = {
  '@modelcontextprotocol/server': ['cli/commands'],
  '@noble/ed25519': ['once/entry', 'sandbox'],
  '@photostructure/sqlite': ['machine', 'once/journal', 'sandbox'],
  '@scure/base': ['chain', 'once/entry', 'sandbox'],
  chalk: ['cli/show'],
  commander: ['cli/parse'],
  conf: ['cli/bot'],
  'jsonc-parser': ['once/entry'],
  litesvm: ['sandbox'],
  ora: ['cli/show'],
  pg: ['postgres'],
  'pg-connection-string': ['postgres'],
  pgpass: ['postgres'],
  'string-width': ['cli/show'],
  undici: ['once/wire'],
  zod: ['cli/bot', 'once/entry', 'policy'],
};

const mostLines = 500;

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

function roomOf(path: string): string {
  const [first = ''] = path.split('/');
  return first.replace(/\.ts$/u, '');
}

/** Within a room that has folders: the room and the folder. */
function homeOf(path: string): string {
  const [room = '', folder = '', file] = path.split('/');
  return file !== undefined && (room === 'once' || room === 'cli') ? `${room}/${folder}` : roomOf(path);
}

const all = files(src).flatMap(importsOf);

/** The package that something is imported from, whole or by a path inside it; undefined for Node's own and ours. */
function packageOf(to: string): string | undefined {
  return /^(?!\.|node:)(@[^/]+\/[^/]+|[^/]+)/u.exec(to)?.[1];
}

/** What the files of one part really import of the other parts. */
function importedBy(part: string, partOf: (path: string) => string | undefined): string[] {
  const names = all
    .filter(({ from, to }) => partOf(from) === part && to.startsWith('.'))
    .map(({ from, to }) => partOf(relative(src, resolve(dirname(join(src, from)), to))))
    .filter((name) => name !== undefined && name !== part && !name.startsWith('..'));
  return [...new Set(names as string[])].sort();
}

function partOfOnce(path: string): string | undefined {
  return path.startsWith('once/') ? roomOf(path.slice('once/'.length)) : undefined;
}

/** Ways along a table of imports that lead back to where they began. */
function circlesIn(table: Record<string, readonly string[]>): string[] {
  const wayBack = (part: string, way: readonly string[] = []): string[] =>
    way.includes(part)
      ? [[...way.slice(way.indexOf(part)), part].join(' → ')]
      : (table[part] ?? []).flatMap((next) => wayBack(next, [...way, part]));
  return Object.keys(table).flatMap((part) => wayBack(part));
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

describe('the rooms', () => {
  test('are eight, with the program and its tree beside them', () => {
    expect([...new Set(files(src).map((file) => roomOf(relative(src, file))))].sort()).toEqual(
      Object.keys(rooms).sort(),
    );
  });

  for (const room of Object.keys(rooms)) {
    test(`${room} imports exactly what the table says`, () => {
      expect(importedBy(room, roomOf)).toEqual([...(rooms[room] ?? [])].sort());
    });
  }

  test('once has no other folders and files at its top than the table says', () => {
    const found = files(join(src, 'once')).map((file) => partOfOnce(relative(src, file)));
    expect([...new Set(found)].sort()).toEqual(Object.keys(insideOnce).sort());
  });

  for (const part of Object.keys(insideOnce)) {
    test(`once/${part} imports of once exactly what the table says`, () => {
      expect(importedBy(part, partOfOnce)).toEqual([...(insideOnce[part] ?? [])].sort());
    });
  }

  test('form no circle, nor do the folders of once', () => {
    expect([...circlesIn(rooms), ...circlesIn(insideOnce)]).toEqual([]);
  });

  test('no files form a circle, types and what is loaded later included', () => {
    expect(circles([src, ...beside])).toEqual([]);
  });

  test('each library is imported where its home is, and nowhere else', () => {
    const found: Record<string, Set<string>> = {};
    for (const { from, to } of all) {
      const name = packageOf(to);
      if (name !== undefined) found[name] = (found[name] ?? new Set()).add(homeOf(from));
    }
    const sorted = Object.entries(found).map(([name, parts]) => [name, [...parts].sort()]);
    expect(Object.fromEntries(sorted)).toEqual(
      Object.fromEntries(Object.entries(homes).map(([name, parts]) => [name, [...parts].sort()])),
    );
  });
});

describe('files', () => {
  test(`have at most ${mostLines} lines`, () => {
    const long = files(src)
      .filter((file) => readFileSync(file, 'utf8').split('\n').length - 1 > mostLines)
      .map((file) => relative(src, file));
    expect(long).toEqual([]);
  });

  test('none is called utils, helpers or index', () => {
    const names = files(src).map((file) => relative(src, file));
    expect(names.filter((name) => /(^|\/)(utils?|helpers?|common|index)(\.ts|\/)/u.test(name))).toEqual([]);
  });
});

/** What a file names for others to import. */
function exportedNames(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(
    /^export (?:async )?(?:function\*?|const|let|class|type|interface) ([\w$]+)/gmu,
  );
  return [...found].map(([, name = '']) => name);
}

/** The types, interfaces and classes of a file, exported or not. */
function typesOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/^(?:export )?(?:abstract )?(?:class|type|interface) ([\w$]+)/gmu);
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
  test('of types stand for one thing within a room', () => {
    const found = new Map<string, string[]>();
    for (const file of files(src)) {
      const path = relative(src, file);
      for (const name of typesOf(file)) {
        const key = `${roomOf(path)}: ${name}`;
        found.set(key, [...(found.get(key) ?? []), path]);
      }
    }
    expect([...found].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  test('are exported only where another file takes them', () => {
    const everything = [src, import.meta.dirname, ...others].flatMap(files).map(sourceOf);
    // It takes what is built.
    const start = readFileSync(resolve(import.meta.dirname, '../bin/botctl.js'), 'utf8');
    // The build puts it in the place of Node's.
    const taken = files(src).filter((file) => file !== resolve(src, 'machine/engine/bun.ts'));
    const unused = taken.flatMap((file) => {
      const importers = [...importersOf(file, everything), { text: start }];
      return exportedNames(file)
        .filter((name) => !importers.some(({ text }) => new RegExp(`\\b${name}\\b`, 'u').test(text)))
        .map((name) => `${relative(src, file)}: ${name}`);
    });
    expect(unused).toEqual([]);
  });

  test('are the same for both engines', () => {
    const exportsOf = (engine: string): string[] =>
      exportedNames(resolve(src, `machine/engine/${engine}.ts`)).sort();
    expect(exportsOf('bun')).toEqual(exportsOf('node'));
  });
});

describe('the way of an order in docs/architecture.md', () => {
  const page = readFileSync(resolve(src, '../docs/architecture.md'), 'utf8');
  const [, picture = ''] = /```mermaid\n([\s\S]*?)```/u.exec(page) ?? [];
  const named = picture.matchAll(/^ +participant (\w+) as (\S+)$/gmu);
  const paths = new Map(
    [...named].map(([, name, path = '']) => [name, join(src, path.replace('<br/>', '/'))]),
  );
  const arrows = [...picture.matchAll(/^ +(\w+)(-?->>)(\w+): (.+)$/gmu)];

  test('has a solid arrow where a file imports the other, and a dashed one where it does not', () => {
    const wrong = arrows.filter(([, from, arrow, to]) => {
      const { imports } = sourceOf(paths.get(from) ?? `${from}`);
      return imports.has(paths.get(to) ?? `${to}`) !== (arrow === '->>');
    });
    expect(wrong.map(([line]) => line.trim())).toEqual([]);
  });

  test('has the ten steps in their order, and a note on each', () => {
    const ten = Array.from({ length: 10 }, (_, nth) => String(nth + 1));
    expect(arrows.flatMap(([, , , , label = '']) => /^\d+/u.exec(label) ?? [])).toEqual(ten);
    expect([...page.matchAll(/^(\d+)\. /gmu)].map(([, number]) => number)).toEqual(ten);
  });
});

/** The rooms that have words for nothing but their failures. */
const silent = ['machine', 'once', 'policy', 'chain', 'postgres', 'batch'];

/** Where these stand, and what they share: one row a failure. */
const withWords = [
  'batch/failures.ts',
  'chain/cluster.ts',
  'once/engine/decisionWords.ts',
  'once/engine/failures.ts',
  'once/failures.ts',
  'once/input.ts',
  'once/entry/failures.ts',
  'once/entry/rules.ts',
  'once/entry/unusual.ts',
  'once/journal/failures.ts',
  'once/phrases.ts',
  'once/sentence.ts',
  'once/wire/conflict.ts',
  'once/wire/failures.ts',
  'once/wire/trouble.ts',
  'policy/failures.ts',
  'postgres/failures.ts',
];

/**
 * Literals of the silent rooms that have a blank in them and are no sentences for people: words of other programs, of
 * formats and protocols, and of faults that only a mistake in this code can bring about. SQL is not listed: it is in a
 * file that says so at its head, or has a mark of its own.
 */
const spoken: Record<string, readonly string[]> = {
  // A folder of macOS.
  'machine/folders.ts': ['Application Support'],
  // Names of what is locked and guarded.
  // What HTTP asks for.
  'once/wire/proxy.ts': ['Basic '],
  'once/wire/undiciChannel.ts': ['Bot '],
  // What other programs say.
  'postgres/serverErrors.ts': [
    'The server does not support SSL connections',
    'another process than this connection began with',
  ],
  // Mistakes in this code.
  'once/engine/replyMeaning.ts': ['no row of the table fits this reply'],
  'once/entry/amount.ts': ['an amount has at most ', ' places'],
  'once/journal/file/base.ts': [
    'this transaction is over',
    'a commit waited for something other than the journal',
  ],
  'once/journal/verbs.ts': ['entry ', ' is being sent already', ' is not claimed by this process'],
  'postgres/base.ts': ['this transaction is over'],
};

const fileOfSql = '// SQL: ';
const markOfSql = /\/\* sql \*\/\s*$/u;

type Node = { readonly type: string; readonly start: number; readonly [field: string]: unknown };

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The texts of a file's literals in which a blank parts words, but for marked SQL. */
function literalsOf(text: string): string[] {
  const found: string[] = [];
  const isText = (value: string): boolean => / /u.test(value) && /\p{L}/u.test(value);
  const visit = (node: Node): void => {
    if (node.type === 'TemplateLiteral' && markOfSql.test(text.slice(0, node.start))) return;
    if (node.type === 'Literal' && typeof node.value === 'string') {
      if (isText(node.value) && !markOfSql.test(text.slice(0, node.start))) found.push(node.value);
    }
    if (node.type === 'TemplateElement') {
      const { raw } = node.value as { readonly raw: string };
      if (isText(raw)) found.push(raw);
    }
    for (const field of Object.values(node)) {
      if (isNode(field)) visit(field);
      else if (Array.isArray(field)) field.filter(isNode).forEach(visit);
    }
  };
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node);
  return found;
}

describe('the silent rooms', () => {
  for (const room of silent) {
    test(`${room} has no sentences but its failures`, () => {
      const found = files(join(src, room)).flatMap((file) => {
        const text = readFileSync(file, 'utf8');
        const path = relative(src, file);
        if (text.startsWith(fileOfSql) || withWords.includes(path)) return [];
        const own = literalsOf(text).filter((literal) => !spoken[path]?.includes(literal));
        return own.map((literal) => `${path}: ${literal}`);
      });
      expect(found).toEqual([]);
    });
  }

  test('what is listed as no sentence is there', () => {
    const gone = Object.entries(spoken).flatMap(([path, listed]) => {
      const literals = literalsOf(readFileSync(join(src, path), 'utf8'));
      return listed.filter((literal) => !literals.includes(literal)).map((literal) => `${path}: ${literal}`);
    });
    expect(gone).toEqual([]);
  });

  test('a sentence is seen in a literal, a template and a type, and SQL where it is marked', () => {
    expect(
      literalsOf(`const a = 'It is full.'; const b = \`The \${a} is full\`; type C = 'an hour';`),
    ).toEqual(['It is full.', 'The ', ' is full', 'an hour']);
    expect(literalsOf("const a = /* sql */ `SELECT 1 FROM a`; const b = /* sql */ 'BEGIN WORK';")).toEqual(
      [],
    );
  });
});

describe('what judges the program', () => {
  test('takes nothing out of test/: what tests, proof and bench share is in test/support/', () => {
    const found = beside.flatMap(files).flatMap((file) =>
      importsOf(file)
        .filter(({ to }) => {
          const path = resolve(dirname(file), to);
          const isShared = [support, golden].some((folder) => path.startsWith(`${folder}/`));
          return to.startsWith('.') && path.startsWith(`${import.meta.dirname}/`) && !isShared;
        })
        .map(({ to }) => `${file}: ${to}`),
    );
    expect(found).toEqual([]);
  });

  test('plays the golden files without knowing more of src than how it is started', () => {
    const imported = files(golden).flatMap(importsOf);
    expect(imported.flatMap(({ to }) => (to.startsWith('../../src/') ? [to] : []))).toEqual([
      '../../src/main.ts',
    ]);
  });

  test('has the expected tables from the design alone: they import nothing', () => {
    expect(importsOf(join(import.meta.dirname, 'once/engine/design.ts'))).toEqual([]);
  });
});
