/** The keys of a profile that say how it tries, and what it may spend. Help names them: what reads their values loads later. */
export const settingKeys = ['key-age', 'timeout', 'retries', 'max-wait', 'policy'] as const;

export type SettingKey = (typeof settingKeys)[number];
