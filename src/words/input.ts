import type { InputFacts } from '../input/facts.ts';
import { troubleInWords } from './disk.ts';
import { whenReady } from './interrupted.ts';
import type { Table } from './told.ts';

export const inputTable: Table<InputFacts> = {
  unreadable: ({ name, trouble }) => ({
    message: `${name} cannot be read: ${troubleInWords(trouble)}`,
    hint: 'Check the path and its permissions, then run the same command again.',
  }),
  interrupted: ({ name }) => ({ message: `Interrupted while ${name} was being read`, hint: whenReady }),
};
