/** Why the password file is left alone, as libpq does: part of a sentence. */
export const passFileProblems = {
  missing: 'is not there',
  notAFile: 'is not a plain file',
  openToOthers: 'can be read by other users',
  unreadable: (trouble: string) => `cannot be read (${trouble})`,
} as const;

export function passFileIgnored(path: string, problem: string): string {
  const remedy = problem === passFileProblems.openToOthers ? ' Make it yours alone, with chmod 600.' : '';
  return `The password file ${path} ${problem}: it was not used.${remedy}`;
}
