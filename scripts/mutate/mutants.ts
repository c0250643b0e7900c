// What can be changed in a source file so that a test should notice.
import { parseAst } from 'rolldown/parseAst';

export type Mutant = {
  readonly start: number;
  readonly end: number;
  /** The code that takes the place of what stands from `start` to `end`. */
  readonly by: string;
};

/** A node as the parser makes it: the fields depend on its type. */
type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

type Span = { readonly start: number; readonly end: number };

/** A text in a table that is made while its file loads. */
type Entry = { readonly key: Span; readonly colon: number; readonly value: Span };

/** What a file's code may become, where its loops are, and the texts of its tables. */
export type Mutable = {
  readonly mutants: readonly Mutant[];
  readonly loops: readonly number[];
  readonly entries: readonly Entry[];
};

/** Types of nodes that TypeScript adds around an expression that runs. */
const wrappers = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
]);

const otherOperator: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
};

/** In SQL, word by word; the first of each that stands in a text is changed. */
const otherSql: readonly (readonly [RegExp, string])[] = [
  [/\bAND\b/u, 'OR'],
  [/\bOR\b/u, 'AND'],
  [/\bNOT\b/u, ''],
  [/(?<![<>!])=(?!=)/u, '<>'],
  [/<>/u, '='],
  [/<(?![=>])/u, '<='],
  [/(?<!<)>(?!=)/u, '>='],
  [/<=/u, '<'],
  [/>=/u, '>'],
  [/\bIS NOT NULL\b/u, 'IS NULL'],
  [/\bIS NULL\b/u, 'IS NOT NULL'],
  [/\bDESC\b/u, 'ASC'],
  [/\bmin\(/u, 'max('],
  [/\bmax\(/u, 'min('],
  [/\bLIMIT 1\b/u, 'LIMIT 0'],
];

const sqlText = /\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|VALUES|CREATE)\b/u;

export function mutable(source: string, path: string): Mutable {
  const found = new Finder(source);
  found.visit(parseAst(source, { lang: 'ts' }, path) as unknown as Node, undefined);
  const { mutants, loops } = found;
  return { mutants, loops, entries: found.entries.filter(({ value }) => mutants.some(within(value))) };
}

const within =
  (span: Span) =>
  ({ start, end }: Span): boolean =>
    start >= span.start && end <= span.end;

class Finder {
  readonly mutants: Mutant[] = [];
  readonly loops: number[] = [];
  readonly entries: Entry[] = [];
  readonly #source: string;
  #functions = 0;

  constructor(source: string) {
    this.#source = source;
  }

  visit(node: Node, parent: Node | undefined): void {
    if (node.type.startsWith('TS') && !wrappers.has(node.type)) return;
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return;
    this.#mutate(node, parent);
    const isFunction = /Function/u.test(node.type);
    if (isFunction) this.#functions += 1;
    for (const [name, value] of Object.entries(node)) {
      if (isSilent(node, name)) continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) this.visit(child, node);
    }
    if (isFunction) this.#functions -= 1;
  }

  #mutate(node: Node, parent: Node | undefined): void {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression':
        this.#operator(node, parent);
        break;
      case 'UnaryExpression':
        if (node.operator === '!' && !isTested(node, parent)) this.#add(node, this.#text(node.argument));
        break;
      case 'ConditionalExpression':
      case 'IfStatement':
        for (const by of ['true', 'false']) this.#add(node.test as Node, by);
        break;
      case 'ForStatement':
      case 'ForOfStatement':
      case 'ForInStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.#loop(node.body as Node);
        break;
      case 'AwaitExpression':
        this.#add(node, this.#text(node.argument));
        break;
      case 'ExpressionStatement':
        this.#statement(node);
        break;
      case 'Literal':
        this.#literal(node, parent);
        break;
      case 'TemplateLiteral':
        this.#sql(node);
        break;
      case 'Property':
        this.#entry(node.key as Node, node.value as Node);
    }
  }

  #entry(key: Node, value: Node): void {
    const [between] = /^\s*:\s*(?:\/\*[^*]*\*\/)?\s*$/u.exec(this.#source.slice(key.end, value.start)) ?? [];
    if (this.#functions > 0 || between === undefined || !isText(value)) return;
    this.entries.push({ key, colon: key.end + between.indexOf(':'), value });
  }

  #operator(node: Node, parent: Node | undefined): void {
    const [left, right] = [node.left as Node, node.right as Node];
    if (node.operator === '??') this.#add(node, this.#text(right));
    const other = otherOperator[String(node.operator)];
    if (/^[!=]==$/u.test(String(node.operator)) && isTested(node, parent)) return;
    // Texts are joined by +, and have no other operator.
    if (other === undefined || (node.operator === '+' && [left, right].some(isText))) return;
    this.#add(node, `(${this.#text(left)}) ${other} (${this.#text(right)})`);
  }

  #loop(body: Node): void {
    if (body.type === 'BlockStatement') this.loops.push(body.start + 1);
  }

  #statement(node: Node): void {
    const expression = node.expression as Node;
    const isDirective = node.directive !== undefined && node.directive !== null;
    const callee = (expression.callee as Node | undefined)?.type;
    if (isDirective || callee === 'Super') return;
    this.#add(expression, 'undefined');
  }

  #literal(node: Node, parent: Node | undefined): void {
    const { value } = node;
    if (typeof value === 'boolean') this.#add(node, String(!value));
    if (typeof value === 'number') this.#add(node, String(value + 1));
    if (typeof node.bigint === 'string') this.#add(node, `${BigInt(node.bigint) + 1n}n`);
    if (typeof value !== 'string') return;
    if (sqlText.test(value)) this.#sql(node);
    else if (['Property', 'ArrayExpression', 'ReturnStatement'].includes(parent?.type ?? ''))
      this.#add(node, value === '' ? "'mutant'" : "''");
  }

  #sql(node: Node): void {
    const text = this.#text(node);
    if (!sqlText.test(text)) return;
    for (const [word, by] of otherSql) {
      const at = text.search(word);
      const inCode = [...text.matchAll(/\$\{[^}]*\}/gu)].some(
        ({ index, 0: code }) => at >= index && at < index + code.length,
      );
      if (at >= 0 && !inCode) this.#add(node, text.replace(word, by));
    }
  }

  #text(node: unknown): string {
    const { start, end } = node as Node;
    return this.#source.slice(start, end);
  }

  #add({ start, end }: Node, by: string): void {
    this.mutants.push({ start, end, by });
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}

/** Always true and always false are tried in its place, and who notices both notices the opposite. */
function isTested(node: Node, parent: Node | undefined): boolean {
  return (parent?.type === 'IfStatement' || parent?.type === 'ConditionalExpression') && parent.test === node;
}

/** Names, and what is assigned to, are no expressions. */
function isSilent(node: Node, name: string): boolean {
  if (name === 'key') return node.computed !== true;
  if (node.type === 'AssignmentExpression') return name === 'left';
  if (node.type === 'UpdateExpression') return true;
  if (node.type === 'SwitchCase') return name === 'test';
  return name === 'source' || name === 'typeAnnotation' || name === 'typeArguments' || name === 'quasi';
}

/**
 * The same code with all mutants in it, each waiting for its number: `at` says which one lives. The texts of tables are
 * made anew whenever they are read, so that a test that reads one reaches its mutants.
 */
export function withMutants(source: string, { mutants, loops, entries }: Mutable, first: number): string {
  const edits = new Map<string, { start: number; end: number; waiting: string }>();
  for (const [index, { start, end, by }] of mutants.entries()) {
    const edit = edits.get(`${start}-${end}`) ?? { start, end, waiting: '' };
    edit.waiting += `__mutant.at(${first + index})?(${by}):`;
    edits.set(`${start}-${end}`, edit);
  }
  const inserts: { at: number; text: string; opens: boolean; width: number }[] = loops.map((at) => ({
    at,
    text: '__mutant.loop();',
    opens: true,
    width: Number.POSITIVE_INFINITY,
  }));
  for (const { start, end, waiting } of edits.values()) {
    inserts.push({ at: start, text: `(${waiting}(`, opens: true, width: end - start });
    inserts.push({ at: end, text: '))', opens: false, width: end - start });
  }
  for (const { key, colon, value } of entries) {
    const width = value.end - value.start + 1;
    inserts.push({ at: key.start, text: 'get ', opens: true, width });
    inserts.push({ at: colon, text: '() { return (/*', opens: true, width });
    inserts.push({ at: colon + 1, text: '*/', opens: true, width });
    inserts.push({ at: value.end, text: '); }', opens: false, width });
  }
  // At one place what ends comes before what begins; the wider begins first and ends last.
  inserts.sort(
    (one, other) =>
      one.at - other.at ||
      Number(one.opens) - Number(other.opens) ||
      (one.opens ? other.width - one.width : one.width - other.width),
  );
  let code = '';
  let from = 0;
  for (const { at, text } of inserts) {
    code += source.slice(from, at) + text;
    from = at;
  }
  return code + source.slice(from);
}
