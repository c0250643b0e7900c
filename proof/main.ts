import { refusing } from '../scripts/refusal.ts';
import { Dice } from './dice.ts';
import { type Options, readOptions, usage } from './options.ts';
import { putIntoPage } from './page.ts';
import { playAll } from './playAll.ts';
import { soundPrograms } from './programs.ts';
import { variants } from './sabotage/variants.ts';
import { sabotageAll } from './sabotage.ts';
import { notesText, textTable } from './table.ts';
import { techniques } from './techniques.ts';

const say = (text: string): void => console.error(text);

async function prove(options: Options): Promise<number> {
  const { only, seed, share } = options;
  const chosen = techniques.filter(({ name }) => only.length === 0 || only.includes(name));
  const startedAt = performance.now();
  const programs = await soundPrograms();
  const { rows, findings } = await playAll({
    techniques: chosen,
    programs,
    dice: new Dice(seed),
    share,
    say,
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(textTable(rows));
  if (notesText(rows) !== '') console.log(notesText(rows));
  console.log(`seed ${seed}, ${seconds} s`);
  if (options.isMarkdown) putIntoPage(rows, seed, seconds);
  return findings.length === 0 && rows.every(({ tooSlow }) => tooSlow === 0) ? 0 : 1;
}

// An ordinary exit ends the children and removes the folders.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const names = {
  techniques: techniques.map(({ name }) => name),
  variants: variants.map(({ name }) => name),
};

process.exitCode = await refusing('`npm run proof -- --help` shows what it takes.', async () => {
  const options = readOptions(process.argv.slice(2), names);
  if (!options.isHelp) return options.isSabotage ? sabotageAll(options, say) : prove(options);
  console.log(usage.replace('NAMES', names.techniques.join(', ')));
  return 0;
});
