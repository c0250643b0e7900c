import { commandPage, type HelpPage, rootPage } from '../cli/helpPage.ts';
import { drawHelp } from '../cli/helpText.ts';
import { nearest } from '../cli/nearest.ts';
import type { CommandSpec, Run } from '../cli/spec.ts';
import { Failure } from '../errors.ts';
import { drawTopic, topics } from './helpTopics.ts';
import { commandTree } from './tree.ts';

export const run: Run = async ({ command, args }, { display }) => {
  const draw = drawingOf(args);
  await display.show({
    json: { schema: 'botctl/1', command, topic: args.join(' '), text: draw(80) },
    human: ({ columns }) => draw(columns),
    quiet: draw(80),
  });
  return 0;
};

function drawingOf(words: readonly string[]): (columns: number) => string {
  const [first] = words;
  const topic = words.length === 1 ? topics.find(({ name }) => name === first) : undefined;
  if (topic !== undefined) return (columns) => drawTopic(topic, columns);
  const page = pageOf(words);
  return (columns) => drawHelp(page, columns);
}

function pageOf(words: readonly string[]): HelpPage {
  let below: readonly CommandSpec[] = commandTree;
  let page = rootPage(commandTree);
  for (const [depth, word] of words.entries()) {
    const spec = below.find(({ name }) => name === word);
    if (spec === undefined) throw unknownWord(words, depth, below);
    page = commandPage(`${page.path} ${word}`, spec);
    below = 'children' in spec ? spec.children : [];
  }
  return page;
}

function unknownWord(words: readonly string[], depth: number, below: readonly CommandSpec[]): Failure {
  const word = words[depth] ?? '';
  const known = [...below.map(({ name }) => name), ...(depth === 0 ? topics.map(({ name }) => name) : [])];
  const before = ['botctl', 'help', ...words.slice(0, depth)].join(' ');
  const meant = nearest(word, known);
  return new Failure('usage', `There is no help on "${words.slice(0, depth + 1).join(' ')}".`, {
    hint: meant === undefined ? 'botctl help lists what there is.' : `Did you mean ${before} ${meant}?`,
  });
}
