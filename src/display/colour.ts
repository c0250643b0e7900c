export type ColourLevel = 0 | 1 | 2 | 3;

type ColourQuestion = {
  noColorFlag: boolean;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether this very stream is a terminal: stdout and stderr are asked separately. */
  isTerminal: boolean;
};

function forced(value: string): ColourLevel {
  if (value === '0' || value === 'false') return 0;
  if (value === '2') return 2;
  if (value === '3') return 3;
  return 1;
}

/** How many colours a stream gets. First match decides; an explicit no outranks every yes. */
export function colourLevel({ noColorFlag, env, isTerminal }: ColourQuestion): ColourLevel {
  if (noColorFlag) return 0;
  if (env.NO_COLOR) return 0;
  if (env.FORCE_COLOR !== undefined) return forced(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE !== undefined && env.CLICOLOR_FORCE !== '' && env.CLICOLOR_FORCE !== '0') return 1;
  if (!isTerminal || env.TERM === 'dumb') return 0;
  if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit') return 3;
  if (env.TERM?.includes('256')) return 2;
  return 1;
}
