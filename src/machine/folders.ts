import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/** HOME is not set, and the account has no home folder. */
export class NoHomeFolder extends Error {}

type Kind = 'config' | 'data';

// The XDG specification says to ignore relative paths. We ignore a relative HOME too: the files would depend on the
// current folder.
function absolute(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

// Node trusts HOME before the account.
function accountHome(): string {
  try {
    return absolute(homedir()) ?? userInfo().homedir;
  } catch (cause) {
    throw new NoHomeFolder('', { cause });
  }
}

export function homeFolder(env: Env): string {
  return absolute(env.HOME) ?? accountHome();
}

function platformFolder(kind: Kind, env: Env, platform: NodeJS.Platform): string {
  const home = homeFolder(env);
  if (platform === 'darwin') {
    return join(home, 'Library', kind === 'config' ? 'Preferences' : 'Application Support');
  }
  return kind === 'config' ? join(home, '.config') : join(home, '.local', 'share');
}

export function configFolder(env: Env, platform: NodeJS.Platform = process.platform): string {
  return join(absolute(env.XDG_CONFIG_HOME) ?? platformFolder('config', env, platform), 'botctl');
}

export function dataFolder(env: Env, platform: NodeJS.Platform = process.platform): string {
  return join(absolute(env.XDG_DATA_HOME) ?? platformFolder('data', env, platform), 'botctl');
}
