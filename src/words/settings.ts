import { Told } from './told.ts';

/** How a duration is written, for help and complaints. */
const durationRule = 'a whole number followed by ms, s, m or h: 500ms, 30s, 5m, 24h';

const durationProblems = {
  'no-duration': 'is not a duration',
  'too-short': 'is too short',
  'too-long': 'is too long',
} as const;

/** `where` names the field as its writer knows it: `--timeout`, or the key of a profile. */
export function badDuration(where: string, text: string, problem: keyof typeof durationProblems): Told {
  return new Told('bad-input', `${where} ${JSON.stringify(text)} ${durationProblems[problem]}`, {
    hint: `Write ${durationRule}; at most 596h.`,
  });
}

export function badRetries(where: string, text: string, most: number): Told {
  return new Told('bad-input', `${where} ${JSON.stringify(text)} is not a valid number`, {
    hint: `Write a whole number from 0 to ${most}.`,
  });
}

export function badPath(where: string, text: string): Told {
  return new Told('bad-input', `${where} ${JSON.stringify(text)} is not an absolute path`, {
    hint: 'Write the whole path, from / on.',
  });
}
