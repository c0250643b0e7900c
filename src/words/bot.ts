import { Told } from './told.ts';

/** An option or a variable that names the bot, given without a value. */
export function emptyBotInput(source: string): Told {
  const code = source === 'BOTCTL_TOKEN' ? 'no-token' : 'usage';
  return new Told(code, `${source} is empty`, {
    hint: source.startsWith('--')
      ? `Give ${source} a value, or leave it out.`
      : `Give ${source} a value, or unset it. In CI, check that the secret or variable is defined for this job.`,
  });
}

export function noBaseUrl(tokenSource: string): Told {
  return new Told('base-url', `The token from ${tokenSource} comes without a base URL`, {
    hint: 'Add --base-url URL or set BOTCTL_BASE_URL.',
  });
}
