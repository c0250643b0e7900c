// Asked of every journal's name, also where there is no PostgreSQL at all: it loads nothing.
import { isAbsolute, sep } from 'node:path';

/** Whether a journal's name is meant as a URL; a drive of Windows has one letter. */
export function isJournalUrl(text: string): boolean {
  return /^(?:postgres(?:ql)?:|[a-z][a-z0-9+.-]+:\/\/)/iu.test(text);
}

/** Why a text is no journal's file: what it looks like instead. */
export type NoFile = 'marked' | 'url' | 'settings' | 'server' | 'relative';

/** A mistyped server must not become a new file, and a password not the name of one. */
export function whyNoFile(text: string): NoFile | undefined {
  if (isMarked(text)) return 'marked';
  if (/^(?:\/\/|jdbc:)|:\/\//iu.test(text)) return 'url';
  if (isAbsolute(text) || isBegun(text)) return undefined;
  if (/^\w+\s*=/u.test(text)) return 'settings';
  return /^postgres(?:ql)?\b|@|:\d/iu.test(text) ? 'server' : 'relative';
}

const mark = '[\\s\\p{Cc}\\p{Cf}\\p{Cs}\\p{Pi}\\p{Pf}"\'`]';

/** Whether a blank, a quote or something invisible stands at an end: no shell and no YAML took it away. */
export function isMarked(text: string): boolean {
  return new RegExp(`^${mark}|${mark}$`, 'u').test(text);
}

/** Whether it says itself from where on it leads: from here, or from home. */
function isBegun(text: string): boolean {
  return /^(?:\.\.?|~)\//u.test(text.replaceAll(sep, '/'));
}

/** Whether a text that was given as a journal's name shows a password. */
export function showsPassword(text: string): boolean {
  if (whyNoFile(text) === undefined) return false;
  const rest = text.replace(/^[\s"'`]*(?:jdbc:)?(?:postgres(?:ql)?:|[a-z][a-z0-9+.-]*:(?=\/\/|\\))/iu, '');
  return /:./su.test(rest.slice(0, Math.max(0, rest.lastIndexOf('@')))) || /password\s*=/iu.test(text);
}
