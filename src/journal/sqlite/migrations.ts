import { rules } from './schema/rules.ts';
import { spending } from './schema/spending.ts';
import { tables } from './schema/tables.ts';

/**
 * Numbered steps from an empty file to the journal as it is now. A step that has been released is never changed; each
 * runs in one transaction with the record of its number.
 */
export const migrations: readonly string[] = [[tables, rules, spending].join('')];
