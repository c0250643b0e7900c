// npm run bench [-- --check] [--markdown] [--nodes] [--as-is] [--rounds N] [--intents N]
// What the issue of speed asks for, in one run: whole processes against `node -e 0`, the peers beside them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { otherNodes } from '../scripts/otherNodes.ts';
import { type Figures, measure } from './measure/figures.ts';
import { makeJournal } from './measure/longJournal.ts';
import { setStage } from './measure/stage.ts';
import { drawTable, markdownTable, missedMarks } from './measure/tables.ts';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    nodes: { type: 'boolean', default: false },
    'as-is': { type: 'boolean', default: false },
    rounds: { type: 'string', default: '21' },
    intents: { type: 'string', default: '1000000' },
  },
});

const stage = await setStage(values['as-is']);
try {
  const journal = join(stage.folder, 'long.db');
  const intents = Number(values.intents);
  makeJournal(journal, intents);
  const nodes = [process.execPath, ...(values.nodes ? await otherNodes() : [])];
  const all = nodes.map((node) => {
    const figures = measure({ stage, journal, intents, node, rounds: Number(values.rounds) });
    console.log(drawTable(figures));
    return figures;
  });
  const [first] = all;
  if (first !== undefined && values.markdown) putIntoReadme(first);
  const missed = all.flatMap(missedMarks);
  for (const one of missed) console.log(one);
  if (values.check && missed.length > 0) process.exitCode = 1;
} finally {
  stage.end();
}

function putIntoReadme(figures: Figures): void {
  const readme = readFileSync('README.md', 'utf8');
  const place = /(<!-- figures -->\n)[\s\S]*?(<!-- \/figures -->)/u;
  if (!place.test(readme)) throw new Error('README.md has no place between <!-- figures --> and its end');
  writeFileSync(
    'README.md',
    readme.replace(place, (_all, begin, end) => `${begin}\n${markdownTable(figures)}\n${end}`),
  );
}
