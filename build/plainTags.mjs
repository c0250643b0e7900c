import { parseAst } from 'rolldown/parseAst';

/** A tag, or what returns one. */
const tags = ['says', 'told', 'warn', 'fail'];

/**
 * The command line's tagged templates as plain calls: says`a ${b} c` becomes says(["a "," c"], b). A tagged template
 * has its raw text too, so no bundler may escape what is beyond ASCII in it. Our tags read only the cooked one.
 */
export const plainTags = (root) => ({
  name: 'plain-tags',
  transform(code, id) {
    if (!id.startsWith(`${root}src/cli/`)) return null;
    const found = [];
    visit(parseAst(code, { lang: 'ts' }), found);
    const parts = [];
    let end = code.length;
    for (const node of found.reverse()) {
      parts.unshift(plain(code, node), code.slice(node.end, end));
      end = node.start;
    }
    return found.length === 0 ? null : { code: [code.slice(0, end), ...parts].join(''), map: null };
  },
});

function plain(code, { tag, quasi }) {
  const texts = quasi.quasis.map(({ value }) => value.cooked);
  const values = quasi.expressions.map(({ start, end }) => code.slice(start, end));
  return `${code.slice(tag.start, tag.end)}(${[JSON.stringify(texts), ...values].join(', ')})`;
}

/** Found in their order. None stands in another: a failure is not part of another's text. */
function visit(node, found) {
  if (node === null || typeof node !== 'object') return;
  if (node.type === 'TaggedTemplateExpression' && tags.includes(node.tag.callee?.name ?? node.tag.name))
    found.push(node);
  else for (const child of Object.values(node)) visit(child, found);
}
