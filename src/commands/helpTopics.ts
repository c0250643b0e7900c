import { environmentRows, type HelpRow } from '../cli/helpPage.ts';
import { drawRows, drawStacked, helpColumns } from '../cli/helpText.ts';
import { wrapText } from '../cli/wrap.ts';
import { rerunMeanings, rerunTable } from '../engine/rerun.ts';
import { type ExitRow, exitTable, retryWords } from '../errors.ts';

export type Topic = {
  readonly name: string;
  readonly about: string;
  readonly intro: string;
  readonly rows: () => readonly HelpRow[];
  readonly stacked?: true;
  readonly outro?: string;
};

function exitRow({ exit, means, retry }: ExitRow): HelpRow {
  const next = retry === undefined ? '' : retryWords[retry];
  return {
    term: String(exit).padStart(3),
    about: `${means}.`.includes(next) ? `${means}.` : `${means}. ${next}`,
  };
}

function rerunRows(): HelpRow[] {
  return rerunTable.map(({ found, decision }) => {
    const { happens, exit } = rerunMeanings[decision];
    return { term: found, about: `${happens}${exit === undefined ? '' : ` (exit ${exit})`}` };
  });
}

/** What can be read about besides the commands, each from the table the program itself obeys. */
export const topics: readonly Topic[] = [
  {
    name: 'exit-codes',
    about: 'what every exit code means, and what to do',
    intro:
      'Every outcome has an exit code. Where an intent is unknown or held, that decides, whatever the last reply was; 2 to 5, 7, 8 and 130 are only for what cannot have happened.',
    rows: () => exitTable.map(exitRow),
    outro: 'With --json the same is in error.code and error.retry.',
  },
  {
    name: 'reruns',
    about: 'what running the same command again does',
    intro:
      'Before anything is sent the journal is asked for an intent of the same identity. First match, top to bottom; where nothing is found, it is new. The exit code is as the intent ends, unless one is named.',
    rows: rerunRows,
    stacked: true,
    outro: `A transfer is the same within 20 h, a message within 2 min, unless it is named: --once NAME makes the name the intent, --run NAME (or BOTCTL_RUN) makes every different command of a run happen once. Scripts should name what they do.

A transfer is not sent either (exit 10) while another one of the same amount to the same address is not settled.`,
  },
  {
    name: 'environment',
    about: 'every variable that is read',
    intro:
      'An option outranks its variable. A variable that is set but empty is refused where it would change who speaks or what is the same.',
    rows: () => [...environmentRows(), ...machineRows],
  },
];

const machineRows: readonly HelpRow[] = [
  { term: 'XDG_CONFIG_HOME', about: 'where the profiles are kept (botctl config path shows the file)' },
  { term: 'XDG_DATA_HOME', about: 'where the journal and the sandbox are kept' },
  { term: 'HTTPS_PROXY, HTTP_PROXY', about: 'the proxy to speak through (or in small letters)' },
  { term: 'NO_PROXY', about: 'hosts that are reached without it' },
  { term: 'NODE_EXTRA_CA_CERTS', about: 'a private certificate authority to trust' },
];

export function drawTopic(topic: Topic, terminalColumns: number): string {
  const columns = helpColumns(terminalColumns);
  const lines = [
    ...wrapText(topic.intro, columns),
    '',
    ...(topic.stacked ? drawStacked : drawRows)(topic.rows(), columns),
    ...(topic.outro === undefined ? [] : ['', ...wrapText(topic.outro, columns)]),
  ];
  return `${lines.join('\n')}\n`;
}
