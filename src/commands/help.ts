import { pageAt, specAt } from '../cli/helpPage.ts';
import { drawHelp } from '../cli/helpText.ts';
import { helpTopics } from '../cli/helpTopicList.ts';
import { nearest } from '../cli/nearest.ts';
import type { CommandSpec, Run } from '../cli/spec.ts';
import type { Failure } from '../errors.ts';
import { noHelpOn } from '../words/help.ts';
import { drawTopic, type Topic, topics } from './helpTopics.ts';

export function runFor(tree: readonly CommandSpec[]): Run {
  return async ({ command, args }, { display }) => {
    const draw = drawingOf(args, tree);
    await display.show({
      json: { schema: 'botctl/1', command, topic: args.join(' '), text: draw(80) },
      human: ({ columns }) => draw(Number.isFinite(columns) ? columns : 80),
      quiet: draw(80),
    });
    return 0;
  };
}

function drawingOf(words: readonly string[], tree: readonly CommandSpec[]): (columns: number) => string {
  const topic = topicOf(words);
  if (topic !== undefined) return (columns) => drawTopic(topic, columns);
  const page = pageAt(words, tree);
  if (page === undefined) throw unknownWord(words, tree);
  return (columns) => drawHelp(page, columns);
}

function topicOf(words: readonly string[]): Topic | undefined {
  const topic = helpTopics.find(({ name }) => words.length === 1 && name === words[0]);
  return topic && topics[topic.name];
}

function unknownWord(words: readonly string[], tree: readonly CommandSpec[]): Failure {
  const depth = words.findIndex((_, index) => pageAt(words.slice(0, index + 1), tree) === undefined);
  const above = specAt(words.slice(0, depth), tree);
  const below = depth === 0 ? tree : above !== undefined && 'children' in above ? above.children : [];
  const word = words[depth] ?? '';
  const known = [
    ...below.map(({ name }) => name),
    ...(depth === 0 ? helpTopics.map(({ name }) => name) : []),
  ];
  const meant = nearest(word, known);
  return noHelpOn(words.slice(0, depth + 1), meant);
}
