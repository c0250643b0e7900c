import type { Run } from '../cli/spec.ts';
import { version } from '../version.ts';

export const run: Run = async ({ command }, { display }) => {
  await display.show({
    json: { schema: 'botctl/1', command, version },
    human: () => `${version}\n`,
    quiet: version,
  });
  return 0;
};
