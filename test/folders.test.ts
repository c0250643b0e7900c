import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { configFolder, dataFolder } from '../src/folders.ts';

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

  test.each([{}, { HOME: '' }, { HOME: 'relative' }])(
    '%j is no home: never below where one happens to stand',
    (env) => {
      expect(configFolder(env, 'linux')).toBe(`${homedir()}/.config/botctl`);
    },
  );
});
