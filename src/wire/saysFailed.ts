import type { Kind } from '../intent/wanted.ts';

type Fields = Readonly<Record<string, unknown>>;

const stems = new Set(
  `fail failed failure reject rejected canceled cancelled expired error errored decline declined revert reverted
   dropped abort aborted denied timeout insufficient invalid`.split(/\s+/u),
);

/** What says failure in two words; `timeOut` is two as well. */
const pairs = new Set(['timed out', 'time out']);

const negations = new Set(['no', 'not', 'non', 'never']);

/** Split at whatever is no letter, and where camelCase begins a word. */
function wordsOf(text: string): string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$3 $2');
  return spaced
    .toLowerCase()
    .split(/\P{L}+/u)
    .filter((word) => word !== '');
}

/** Whether a status or a code says failure: `airdropped`, `not_failed` and `NO_ERROR` do not. */
function readsAsFailure(text: string): boolean {
  const words = wordsOf(text);
  return words.some((word, index) => {
    const says = stems.has(word) || pairs.has(`${word} ${words[index + 1]}`);
    return says && !negations.has(words[index - 1] ?? '');
  });
}

function isFailedStatus(status: unknown): boolean {
  if (typeof status === 'string') return readsAsFailure(status);
  return status === false || (typeof status === 'number' ? status >= 400 : isThing(status));
}

function isThing(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isNo(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^false$/iu.test(value));
}

/** "", false, 0, {} and [] stand where nothing is to be said. */
export function saysNothing(value: unknown): boolean {
  if (isThing(value)) return Object.keys(value as object).length === 0;
  return value === undefined || value === null || value === '' || value === false || value === 0;
}

function hasErrors({ errors }: Fields): boolean {
  return (typeof errors === 'string' || isThing(errors)) && !saysNothing(errors);
}

/** Whether a success says in its own fields that it is none. */
export function saysItFailed(kind: Kind, json: Fields): boolean {
  if (isNo(json.success) || isNo(json.ok) || hasErrors(json)) return true;
  if (kind === 'message') return false;
  return isFailedStatus(json.status) || (typeof json.code === 'string' && readsAsFailure(json.code));
}
