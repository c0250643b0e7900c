import { join, resolve } from 'node:path';
import { programLine } from '../test/support/program.ts';
import { makeVariedJournal } from './measure/longJournal.ts';
import { setStage } from './measure/stage.ts';
import type { Measure } from './measure/table.ts';
import { type Row, timeRows } from './measure/timing.ts';

const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const paying = ['transfer', '--to', to, '--asset', 'SOL', '--amount'];

export const measure: Measure = async (given) => {
  const stage = await setStage();
  try {
    const journal = join(stage.folder, 'long.db');
    await makeVariedJournal(journal, given('entries'));
    const { env } = stage;
    const url = `${stage.baseUrl}/api/bot/v1/messages/send`;
    const row = (name: string, words: () => string[], more: NodeJS.ProcessEnv = {}): Row => ({
      name,
      command: () => [...programLine, ...words()],
      env: { ...env, ...more },
    });
    const rows: readonly Row[] = [
      { name: 'node -e 0', command: () => [process.execPath, '-e', '0'], env },
      row('botctl --version', () => ['--version']),
      row('botctl --help', () => ['--help']),
      row('botctl send', newSend),
      row('botctl transfer', () => [...paying, newAmount()]),
      row('botctl transfer, replayed', () => [...paying, '0.5', '--once', 'bench']),
      row('botctl history', () => ['history'], { BOTCTL_JOURNAL: journal }),
      row('botctl --sandbox transfer', () => ['--sandbox', ...paying, newAmount()]),
      {
        name: 'a script with fetch',
        command: () => [process.execPath, resolve('bench/measure/fetch.mjs'), url, 'hello'],
        env,
      },
      { name: 'curl', command: () => ['curl', '-sS', '-d', '{"content":"hello"}', url], env },
    ];
    return {
      about: `Whole processes, medians of ${given('rounds')} rounds; × is the time of \`node -e 0\` in the same round; the journal that history lists has ${given('entries').toLocaleString('en')} entries`,
      columns: [`Node ${process.version.slice(1)}`],
      lines: timeRows(rows, given('rounds')).map(({ name, medianMs, ratio }) => ({
        what: name,
        figure: `${medianMs.toFixed(0)} ms, ${ratio.toFixed(2)} ×`,
        value: ratio,
      })),
    };
  } finally {
    stage.end();
  }
};

let made = 0;

/** A text that no other run has sent. */
function newSend(): string[] {
  made += 1;
  return ['send', '--conversation', 'conv_demo', '--content', `message ${process.pid} ${made}`];
}

/** An amount that no other run has paid. */
function newAmount(): string {
  made += 1;
  return `0.1${made}1`;
}
