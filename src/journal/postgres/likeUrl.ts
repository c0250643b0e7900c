// Asked of every journal's name, also where there is no PostgreSQL at all: it loads nothing.

/** Whether a journal's name is meant as a URL; a drive of Windows has one letter. */
export function isJournalUrl(text: string): boolean {
  return /^(?:postgres(?:ql)?:|[a-z][a-z0-9+.-]+:\/\/)/iu.test(text);
}

/** Whether a text that was given as a journal's name shows a password to whoever sees it. */
export function showsPassword(text: string): boolean {
  if (!isJournalUrl(text)) return false;
  const before = text.slice(text.indexOf(':') + 1, Math.max(0, text.lastIndexOf('@')));
  return /:./su.test(before) || /[?&]password=/iu.test(text);
}
