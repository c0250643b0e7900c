import { Failure } from '../errors.ts';
import { type BaseUrl, parseBaseUrl } from '../intent/baseUrl.ts';

/** A base URL of several that there may be: a complaint says which one it is about. */
export function parseNamedUrl(text: string, name: string): BaseUrl {
  try {
    return parseBaseUrl(text);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { hint } = error.details;
    throw new Failure(
      error.code,
      `${name}: ${error.message.replace(/\.$/u, '')}; nothing was sent or changed.`,
      hint === undefined ? {} : { hint },
    );
  }
}
