/** The keys of a profile that say how it tries. Help names them: what reads their values loads later. */
export const settingKeys = ['key-age', 'timeout', 'retries', 'max-wait'] as const;

export type SettingKey = (typeof settingKeys)[number];
