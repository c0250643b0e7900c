import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { type Exit, Failure } from '../../errors.ts';
import { isProfileKey, isSettingKey, unsetSetting } from '../../profile/edit.ts';
import { type SettingKey, settingKeys } from '../../profile/settings.ts';
import { changeAndShow } from './changeAndShow.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = '', text = ''] = given.args;
  const key = checkedKey(text);
  const headline = `${key} of profile ${name} has its default again.`;
  return changeAndShow(given, context, name, (file) => unsetSetting(file, name, key), headline);
}

function checkedKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  const problem = isProfileKey(key)
    ? `A profile cannot be without ${key}`
    : `A profile has no key ${JSON.stringify(key)}`;
  throw new Failure('bad-input', `${problem}; nothing was changed.`, {
    hint: `What can be unset is ${settingKeys.join(', ')}. botctl config remove NAME removes a profile.`,
  });
}
