import { type ChainKey, chainKeys } from '../../bot/chainKeys.ts';
import { isChainKey, isProfileKey, isSettingKey, unsetSetting } from '../../bot/editProfiles.ts';
import { type SettingKey, settingKeys } from '../../bot/settingKeys.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { keyNotResettable, keyReset } from '../../words/profileChanges.ts';
import { changeAndShow } from './changeAndShow.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = '', text = ''] = given.args;
  const key = checkedKey(text, name);
  return changeAndShow(given, context, name, (file) => unsetSetting(file, name, key), {
    key,
    of: (_now, before) => keyReset(name, key, before),
  });
}

function checkedKey(key: string, name: string): SettingKey | ChainKey {
  if (isSettingKey(key) || isChainKey(key)) return key;
  throw keyNotResettable(name, key, isProfileKey(key), [...settingKeys, ...chainKeys]);
}
