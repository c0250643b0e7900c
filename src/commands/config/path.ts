import { profilesPaths } from '../../bot/readProfiles.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { safeLine } from '../../display/safeText.ts';
import type { Exit } from '../../errors.ts';

export async function run(given: Given, { env, display }: Context): Promise<Exit> {
  const { file } = profilesPaths(env);
  await display.show({
    json: { schema: 'botctl/1', command: given.command, path: file },
    human: () => `${safeLine(file)}\n`,
    quiet: file,
  });
  return 0;
}
