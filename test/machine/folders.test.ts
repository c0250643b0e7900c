import { userInfo } from 'node:os';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { configFolder, dataFolder } from '../../src/machine/folders.ts';

afterEach(() => vi.unstubAllEnvs());

describe('where botctl keeps its files', () => {
  test.each([
    ['linux', { HOME: '/home/ada' }, '/home/ada/.config/botctl', '/home/ada/.local/share/botctl'],
    ['linux', { HOME: '/home/ada', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/botctl', '/d/botctl'],
    [
      'linux',
      { HOME: '/home/ada', XDG_CONFIG_HOME: 'relative', XDG_DATA_HOME: '' },
      '/home/ada/.config/botctl',
      '/home/ada/.local/share/botctl',
    ],
    [
      'darwin',
      { HOME: '/Users/ada' },
      '/Users/ada/Library/Preferences/botctl',
      '/Users/ada/Library/Application Support/botctl',
    ],
  ] as const)('%s with %j', (platform, env, config, data) => {
    expect(configFolder(env, platform)).toBe(config);
    expect(dataFolder(env, platform)).toBe(data);
  });

  test.each<{ HOME?: string }>([{}, { HOME: '' }, { HOME: 'relative' }])(
    '%j is no home: never below where one happens to stand',
    (env) => {
      // Node believes the same variable.
      vi.stubEnv('HOME', env.HOME);
      expect(configFolder(env, 'linux')).toBe(`${userInfo().homedir}/.config/botctl`);
    },
  );
});
