import type { Exact } from './exactJson.ts';
import { isObject } from './fields.ts';
import { tokenPrograms } from './movements.ts';

// What the token programs write: 82 bytes are a mint, and under Token-2022 what is longer has a byte for its kind
// behind the longest of what is not extended, but for the signers of one account.
const mintBytes = 82;
const initializedAt = 45;
const kindAt = 165;
const mintKind = 1;
const signersBytes = 355;

/** Whether what `getAccountInfo` shows is a token's mint; undefined where nobody can read it. */
export function isMintAccount(account: Exact | undefined): boolean | undefined {
  if (account === undefined) return undefined;
  if (!isObject(account)) return false;
  const { owner, data } = account;
  const isToken2022 = owner === tokenPrograms.token2022;
  if (!isToken2022 && owner !== tokenPrograms.token) return false;
  const [text, encoding] = Array.isArray(data) ? data : [];
  if (typeof text !== 'string' || encoding !== 'base64') return undefined;
  const bytes = Buffer.from(text, 'base64');
  const isExtended = isToken2022 && bytes[kindAt] === mintKind && bytes.length !== signersBytes;
  return (bytes.length === mintBytes || isExtended) && bytes[initializedAt] === 1;
}
