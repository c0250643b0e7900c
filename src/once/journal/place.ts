// Checks every journal's name, even without PostgreSQL, so this file loads nothing of it.
import { isAbsolute, sep } from 'node:path';

export function isJournalUrl(text: string): boolean {
  return /^(?:postgres(?:ql)?:|[a-z][a-z0-9+.-]+:\/\/)/iu.test(text);
}

/** Whether a text names a file. A mistyped server must not become a new file, nor a password part of its name. */
export function isFile(text: string): boolean {
  return !isMarked(text) && !/^\/\/|:\/\//u.test(text) && (isAbsolute(text) || isBegun(text));
}

const mark = '[\\s\\p{Cc}\\p{Cf}\\p{Cs}\\p{Pi}\\p{Pf}"\'`]';

/** Whether it starts or ends with a blank, a quote or an invisible character that no shell or YAML parser removed. */
export function isMarked(text: string): boolean {
  return new RegExp(`^${mark}|${mark}$`, 'u').test(text);
}

/** Whether a relative path says where it starts: at the current folder (`./`, `../`) or at home (`~/`). */
function isBegun(text: string): boolean {
  return /^(?:\.\.?|~)\//u.test(text.replaceAll(sep, '/'));
}

export function showsPassword(text: string): boolean {
  if (isFile(text)) return false;
  const rest = text.replace(/^[\s"'`]*(?:jdbc:)?(?:postgres(?:ql)?:|[a-z][a-z0-9+.-]*:(?=\/\/|\\))/iu, '');
  return /:./su.test(rest.slice(0, Math.max(0, rest.lastIndexOf('@')))) || /password\s*=/iu.test(text);
}
