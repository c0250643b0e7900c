import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeVariedJournal } from '../../bench/measure/longJournal.ts';
import { makeVariedSharedJournal } from '../../bench/measure/longSharedJournal.ts';
import { botctlHere } from '../../testing/builtHere.ts';
import { Home } from '../../testing/home.ts';
import { sharedServer } from '../../testing/postgres/server.ts';

test.each(['a file', 'PostgreSQL'])(
  'the newest page of a long journal in %s has transfers in view',
  async (store) => {
    const home = new Home();
    onTestFinished(() => home.remove());
    const server = await sharedServer();
    const file = join(home.path, 'long.db');
    if (store === 'a file') await makeVariedJournal(file, 80);
    const place =
      store === 'a file'
        ? file
        : await makeVariedSharedJournal({ newDatabase: () => server.newDatabase() }, 80);
    const ran = await botctlHere(['history'], { env: { ...home.env, BOTCTL_JOURNAL: place } });
    const lines = ran.stdout.trim().split('\n');
    expect([ran.code, lines.filter((line) => line.includes('0.01 SOL')).length]).toEqual([0, 5]);
  },
);
