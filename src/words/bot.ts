import { Failure } from '../errors.ts';

/** An option or a variable that names the bot, given without a value. */
export function emptyBotInput(source: string): Failure {
  const code = source === 'BOTCTL_TOKEN' ? 'no-token' : 'usage';
  return new Failure(code, `${source} is empty`, {
    hint: source.startsWith('--')
      ? `Give ${source} a value, or leave it out.`
      : `Give ${source} a value, or unset it. In CI, check that the secret or variable is defined for this job.`,
  });
}

export function noBaseUrl(tokenSource: string): Failure {
  return new Failure('base-url', `The token from ${tokenSource} comes without a base URL`, {
    hint: 'Add --base-url URL or set BOTCTL_BASE_URL.',
  });
}
