import type { PassFileIgnored } from '../journal/postgres/passFile.ts';
import { troubleInWords } from './disk.ts';

function problemOf(ignored: PassFileIgnored): string {
  switch (ignored.is) {
    case 'missing':
      return 'is not there';
    case 'not-a-file':
      return 'is not a plain file';
    case 'open-to-others':
      return 'can be read by other users';
    case 'unreadable':
      return `cannot be read (${troubleInWords(ignored.trouble)})`;
  }
}

export function passFileIgnored(ignored: PassFileIgnored): string {
  const remedy = ignored.is === 'open-to-others' ? ' Make it yours alone, with chmod 600.' : '';
  return `The password file ${ignored.path} ${problemOf(ignored)}: it was not used.${remedy}`;
}
