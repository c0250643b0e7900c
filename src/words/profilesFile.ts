import { Told } from './told.ts';

export const profilesProblems = {
  empty: 'is not JSON: it is empty',
  notJson: 'is not JSON',
  notJsonAt: (line: number, column: number) => `is not JSON (line ${line}, column ${column})`,
  unexpected: (path: string) => `has an unexpected value at ${path === '' ? 'its top level' : path}`,
} as const;

export function profilesDamaged(file: string, problem: string): Told {
  return new Told('config-damaged', `The profiles in ${file} cannot be read: the file ${problem}`, {
    hint: 'Fix it by hand, or move it out of the way and add the profiles again:',
    next: [{ shell: [['mv', file, `${file}.damaged`]] }],
  });
}

/** What makes a file or folder no safe place for a token, with the commands that fix it. */
export type Danger = {
  readonly problem: string;
  readonly fix: readonly (readonly string[])[];
  readonly hint?: string;
};

export function ownedByAnother(path: string, uid: number, me: number): Danger {
  const chown = ['chown', String(me), path];
  return {
    problem: `belongs to another user (uid ${uid}; you are ${me})`,
    ...(me === 0
      ? { hint: 'Run botctl as that user, without sudo. Or change its owner to root:', fix: [chown] }
      : { hint: 'Change its owner to you:', fix: [['sudo', ...chown]] }),
  };
}

export function openToOthers(path: string, mode: number, privateMode: number): Danger {
  return {
    problem: `is open to other users (mode ${mode.toString(8)})`,
    fix: [chmod(privateMode, path)],
  };
}

export function symbolicLink(path: string, privateMode: number): Danger {
  const aside = `${path}.link`;
  return {
    problem: 'is a symbolic link',
    hint: 'Replace it with a copy of what it points to:',
    fix: [['mv', path, aside], ['cp', '-RH', aside, path], chmod(privateMode, path)],
  };
}

export function notA(what: 'file' | 'folder', path: string): Danger {
  return {
    problem: `is not a ${what}`,
    hint: 'Move it out of the way:',
    fix: [['mv', path, `${path}.old`]],
  };
}

function chmod(mode: number, path: string): string[] {
  return ['chmod', mode.toString(8), path];
}

export function unsafePlace(path: string, { problem, fix, hint = 'Make it private:' }: Danger): Told {
  return new Told('config-unsafe', `${path} ${problem}, so it was not read`, {
    hint,
    next: [{ shell: fix }],
  });
}

export function unreadablePlace(path: string, reason: string): Told {
  return new Told('config-unsafe', `${path} cannot be read: ${reason}`, {
    hint: 'Check its permissions:',
    next: [{ shell: [['ls', '-ld', path]] }],
  });
}
