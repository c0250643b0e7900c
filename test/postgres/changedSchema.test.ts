import { describe, expect, onTestFinished, test } from 'vitest';
import type { SchemaPart } from '../../src/once/journal/facts.ts';
import { findSharedLoss, lookAtShared } from '../../src/postgres/upkeep.ts';
import { asRole } from '../../testing/postgres/asRole.ts';
import {
  lookingAfter,
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../../testing/postgres/sharedJournal.ts';

/** Who opens it to send, and who looks after it. */
const opened = [
  ['sends', (place: SharedPlace) => openShared(place)],
  ['looks after it', (place: SharedPlace) => lookingAfter(place, findSharedLoss)],
  ['looks at it', (place: SharedPlace) => lookingAfter(place, lookAtShared)],
] as const;

async function changed(sql: string): Promise<SharedPlace> {
  const place = await newSharedPlace();
  await onServer(place, (client) => client.query(sql.replaceAll('@', place.schema)));
  return place;
}

const changingMeta = (sql: string): string =>
  `ALTER TABLE meta DISABLE TRIGGER USER; ${sql}; ALTER TABLE meta ENABLE TRIGGER USER`;

const foreign = ['id int', 'name text, value text', 'other text, value bytea', 'name text, other bytea'].map(
  (columns): [string, object] => [
    `DROP SCHEMA @ CASCADE; CREATE SCHEMA @; CREATE TABLE @.meta (${columns})`,
    { kind: 'schema-foreign' },
  ],
);

describe.each(opened)('who %s', (_who, open) => {
  test.each<[string, SchemaPart[]]>([
    ['DROP TRIGGER insert_on_attempts_keeps ON attempts', [{ is: 'rule', name: 'insert_on_attempts_keeps' }]],
    [
      'ALTER TABLE attempts DISABLE TRIGGER update_on_attempts_keeps',
      [{ is: 'rule', name: 'update_on_attempts_keeps' }],
    ],
    [
      'ALTER TABLE attempts ENABLE REPLICA TRIGGER update_on_attempts_keeps',
      [{ is: 'rule', name: 'update_on_attempts_keeps' }],
    ],
    [
      'DROP TABLE spent',
      [
        { is: 'table', name: 'spent' },
        { is: 'rule', name: 'spent_is_never_deleted' },
      ],
    ],
    ['ALTER TABLE batches DROP COLUMN beyond', [{ is: 'column', name: 'batches.beyond' }]],
    [
      'ALTER TABLE attempts DROP CONSTRAINT attempts_intent_number_key',
      [{ is: 'constraint', name: 'attempts.attempts_intent_number_key' }],
    ],
    [changingMeta(`DELETE FROM meta WHERE name = 'parts'`), [{ is: 'list', name: 'of parts' }]],
  ])('is told what a journal lacks after %s', async (sql, lacks) => {
    await expect(open(await changed(sql))).rejects.toMatchObject({
      kind: 'schema-changed',
      fields: { lacks: expect.toSatisfy((all) => sorted(all) === sorted(lacks)) },
    });
  });

  test.each<[string, object]>([
    [`UPDATE meta SET value = '99' WHERE name = 'journal-version'`, { kind: 'schema-newer' }],
    [
      changingMeta(`UPDATE meta SET name = 'version' WHERE name = 'journal-version'`),
      { kind: 'schema-unreleased' },
    ],
    ['DROP SCHEMA @ CASCADE', { kind: 'schema-missing', fields: { ownersUrl: undefined } }],
    ['DROP SCHEMA @ CASCADE; CREATE SCHEMA @', { kind: 'schema-missing' }],
    ...foreign,
  ])('is refused what is no journal of this release, after %s', async (sql, refusal) => {
    await expect(open(await changed(sql))).rejects.toMatchObject(refusal);
  });

  test('uses a journal with more than it needs: a column, a table, a rule', async () => {
    const place = await changed(`ALTER TABLE batches ADD COLUMN more text; CREATE TABLE more (id int);
      ALTER TABLE attempts ADD CONSTRAINT more CHECK (number < 1000)`);
    await expect(open(place)).resolves.not.toThrow();
  });
});

test.each([
  ['the owner of its schema', 'CREATE SCHEMA @ AUTHORIZATION @_owner', (schema: string) => `${schema}_owner`],
  ['the owner of the database', '', () => 'postgres'],
])('who may not make a journal is told to do it as %s', async (_who, sql, ownerIn) => {
  const place = await changed(`DROP SCHEMA @ CASCADE; CREATE ROLE @_owner; ${sql};
    CREATE ROLE @_other LOGIN PASSWORD 'secret'`);
  const other = { ...place, url: asRole(place.url, `${place.schema}_other`, 'secret') };
  onTestFinished(() =>
    onServer(place, async (client) => {
      await client.query(`DROP SCHEMA IF EXISTS ${place.schema}`);
      await client.query(`DROP ROLE ${place.schema}_owner, ${place.schema}_other`);
    }),
  );
  await expect(openShared(other)).rejects.toMatchObject({
    kind: 'schema-missing',
    fields: { ownersUrl: expect.stringContaining(`//${ownerIn(place.schema)}@`) },
  });
});

const sorted = (parts: readonly SchemaPart[]): string => JSON.stringify(parts.map(({ name }) => name).sort());
