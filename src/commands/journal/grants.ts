import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import type { GrantedUse } from '../../journal/postgres/grants.ts';
import { fileNeedsNoGrants, grantsHead } from '../../words/journalGrants.ts';
import { journalLocation } from '../journalPath.ts';

/** Where no journal is named, that of a URL which names none. */
async function schemaOf(given: Given, context: Context): Promise<string> {
  const location = await journalLocation(given, context);
  if (location.is === 'shared') return location.address.schema;
  const isNamed = given.text('journal') !== undefined || (context.env.BOTCTL_JOURNAL ?? '') !== '';
  if (isNamed) throw fileNeedsNoGrants(location.path);
  const { defaultSchema } = await import('../../journal/postgres/address.ts');
  return defaultSchema;
}

const usualRoles: Readonly<Record<GrantedUse, string>> = { run: 'botctl_runner', look: 'botctl_auditor' };

/** On one line, for psql as well: a comment would take all that follows with it. */
function statementsOf(sql: string): string {
  return sql
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('--'))
    .join(' ');
}

export async function run(given: Given, context: Context): Promise<Exit> {
  const use = given.flag('read-only') ? 'look' : 'run';
  const role = given.text('role') ?? usualRoles[use];
  const { grantsSql, refuseRole } = await import('../../journal/postgres/grants.ts');
  refuseRole(role);
  const head = grantsHead(use).map((line) => `-- ${line}\n`);
  const sql = `${head.join('')}${grantsSql(await schemaOf(given, context), role, use)}`;
  await context.display.show({
    json: { schema: 'botctl/1', command: given.command, role, read_only: use === 'look', sql },
    human: () => sql,
    quiet: statementsOf(sql),
  });
  return 0;
}
