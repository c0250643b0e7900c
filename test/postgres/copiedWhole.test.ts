import { expect, test } from 'vitest';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { grantsSql } from '../../src/postgres/upkeep.ts';
import { failureOf } from '../../testing/failure.ts';
import {
  done,
  endWith,
  inHand,
  type JournalInHand,
  newIntent,
  newPath,
  nowMs,
  opened,
} from '../../testing/journals.ts';
import { asRole } from '../../testing/postgres/asRole.ts';
import { copy, fileOf, notesOf } from '../../testing/postgres/copies.ts';
import { startCuttableProxy } from '../../testing/postgres/cuttableProxy.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import {
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../../testing/postgres/sharedJournal.ts';

const [ada, bob, eve] = [
  '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  '7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj',
  '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
];
const paying = (to = ada) => ({ kind: 'transfer', payment: JSON.stringify([to, 'sol', '1']) }) as const;

/** A file with what `fill` does, which nobody has open any more. */
async function fileFilled(fill: (journal: JournalInHand) => Promise<unknown>): Promise<string> {
  const path = newPath();
  const journal = inHand(openJournal(path));
  await fill(journal);
  await journal.close();
  return path;
}

const decided = { who: 'ada', atMs: nowMs, reason: 'r', signature: undefined } as const;

test('what chains were seen to say is there, and proves no second intent', async () => {
  const place = await newSharedPlace();
  const proof = { genesis: 'g', signature: 's', instruction: '1', facts: '{}', who: 'chain' } as const;
  const observe = async (journal: JournalInHand): Promise<string> => {
    const id = await done(journal, 'unknown', paying());
    await journal.keepReceipts(id, [{ origin: 'g', what: 'instruction', value: 's/1' }]);
    await journal.observe(id, { ...proof, verdict: 'proven', atMs: nowMs + 1 });
    await journal.observe(id, { ...proof, instruction: '2', verdict: 'likely', atMs: nowMs + 2 });
    await journal.observe(id, { ...proof, verdict: 'undecided', atMs: nowMs + 3 });
    await journal.decide(id, { ...decided, kind: 'happened' });
    return id;
  };
  const ids: string[] = [];
  for (const path of [
    await fileFilled(async (journal) => ids.push(await observe(journal))),
    await fileFilled(async (journal) => ids.push(await observe(journal))),
  ])
    await copy(path, place);
  const { reads } = await openShared(place);
  const said = await Promise.all(
    ids.map(async (id) =>
      (await reads.observationsOf(id)).map(({ instruction, verdict, atMs }) => [
        instruction,
        verdict,
        atMs - nowMs,
      ]),
    ),
  );
  expect(said).toEqual([
    [
      ['1', 'proven', 1],
      ['2', 'likely', 2],
      ['1', 'undecided', 3],
    ],
    [
      ['1', 'undecided', 1],
      ['2', 'likely', 2],
      ['1', 'undecided', 3],
    ],
  ]);
});

test('an address is known to have been paid where that happened', async () => {
  const place = await newSharedPlace();
  const path = await fileFilled(async (journal) => {
    await done(journal, 'accepted', paying(ada));
    await done(journal, 'rejected', paying(bob));
    await journal.decide(await done(journal, 'unknown', paying(bob)), { ...decided, kind: 'did-not-happen' });
    await journal.decide(await done(journal, 'unknown', paying(eve)), { ...decided, kind: 'happened' });
  });
  await copy(path, place);
  const { reads } = await openShared(place);
  const known = [ada, bob, eve].map(async (address = '') =>
    (await reads.paidLike(`${address.slice(0, 4)}Somebody`)).map((one) => one.address === address),
  );
  expect(await Promise.all(known)).toEqual([[true], [], [true]]);
});

test('what was left behind stands as it did, and counts when it did', async () => {
  const place = await newSharedPlace();
  const hour = 3_600_000;
  const path = await fileFilled(async (journal) => {
    const held = await journal.begin(newIntent(paying()), 'h', nowMs);
    await journal.endAttempt(held.id, 1, endWith('held'), nowMs);
    await journal.conclude(held.id, 'held', 'refused', nowMs + hour);
    await journal.supersede(held.id);
    const proposed = await journal.propose(newIntent(paying()), 'above-limit', nowMs);
    await journal.supersede(proposed.id);
    await journal.supersede(await done(journal, 'unknown', paying(), nowMs));
  });
  const standing = `SELECT id, state, why, tainted::int, left_behind::int, counts_at::float8 FROM intents ORDER BY id`;
  await copy(path, place);
  const { rows } = await onServer(place, (client) => client.query(standing));
  const source = openJournal(path, 'look');
  expect(rows).toMatchObject([
    { state: 'held', why: 'refused', tainted: 1, left_behind: 1, counts_at: nowMs },
    { state: 'held', why: 'above-limit', tainted: 0, left_behind: 1, counts_at: null },
    { state: 'unknown', why: null, tainted: 1, left_behind: 1, counts_at: nowMs },
  ]);
  await source.close();
});

test('this machine notes the last attempt of a page, also where the last intent was never tried', async () => {
  const place = await newSharedPlace();
  let tried = '';
  const path = await fileFilled(async (journal) => {
    tried = await done(journal, 'accepted');
    const { id } = await journal.propose(newIntent(paying()), 'proposed', nowMs);
    await journal.decide(id, { ...decided, kind: 'declined' });
  });
  await copy(path, place);
  expect(await notesOf(place)).toMatchObject([{ what: 'attempt', id: tried, number: 1, at: nowMs }]);
  const other = await newSharedPlace();
  const untried = await fileFilled(async (journal) => {
    const { id } = await journal.propose(newIntent(paying()), 'proposed', nowMs);
    await journal.decide(id, { ...decided, kind: 'declined' });
  });
  await copy(untried, other);
  expect(await notesOf(other)).toEqual([]);
});

/** The server refuses the first so many times that an intent is added. */
async function refusing(place: SharedPlace, times: number, code: string, table = 'intents'): Promise<void> {
  await onServer(place, (client) =>
    client.query(`CREATE SEQUENCE tries; CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = ${place.schema}
      AS $$ BEGIN IF nextval('tries') <= ${times} THEN RAISE EXCEPTION 'not now' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER refuses BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`),
  );
}

const triesOn = async (place: SharedPlace): Promise<number> =>
  Number(
    (await onServer(place, (client) => client.query('SELECT last_value FROM tries'))).rows[0]?.last_value,
  );

test.each([
  ['four times for a while is added', 4, '40001', 5],
  ['five times for a while is not', 5, '40001', 5],
  ['once for good is not', 1, '22012', 1],
])('a page that is refused %s', async (_how, times, code, tries) => {
  const [place, path] = [await newSharedPlace(), await fileOf(1)];
  await refusing(place, times, code);
  const copying = copy(path, place);
  if (tries > times) expect(await copying).toMatchObject({ added: 1 });
  else await expect(copying).rejects.toMatchObject({ code });
  expect(await triesOn(place)).toBe(tries);
});

test('a beginning that is refused for a while is made', async () => {
  const [place, path] = [await newSharedPlace(), await fileOf(1)];
  await refusing(place, 1, '40001', 'losses');
  expect(await copy(path, place)).toMatchObject({ added: 1 });
});

test('a commit that the server undid is not taken for made', async () => {
  let undo = true;
  const proxy = await startCuttableProxy((await sharedServer()).port, (from, message) => {
    if (!undo || from !== 'server' || message.toString('latin1', 5) !== 'COMMIT\0') return message;
    undo = false;
    return Buffer.concat([Buffer.from([67, 0, 0, 0, 13]), Buffer.from('ROLLBACK\0')]);
  });
  const [place, path] = [await newSharedPlace(), await fileOf(1)];
  const copying = copy(path, { ...place, url: proxy.through(place.url) });
  await expect(copying).rejects.toMatchObject({ trouble: { is: 'commit-undone' } });
  await done(opened(path), 'accepted');
  await proxy.close();
});

/** A role that may use the journal so far, and no further. */
async function asRoleWith(place: SharedPlace, name: string, grants: string): Promise<SharedPlace> {
  const role = `${name}_${place.schema}`;
  await onServer(place, async (client) => {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
    await client.query(grants.replaceAll('ROLE', role));
  });
  return { ...place, url: asRole(place.url, role, 'p') };
}

test('a role that may not add to the journal is refused before anything is asked', async () => {
  const place = await newSharedPlace();
  const looking = `${grantsSql(place.schema, 'ROLE', 'look').replaceAll('"ROLE"', 'ROLE')}
    GRANT SELECT ON salt TO ROLE`;
  const confirm = () => Promise.reject(new Error('asked'));
  const role = await asRoleWith(place, 'looks', looking);
  expect(await failureOf(async () => copy(await fileOf(1), role, { confirm }))).toMatchObject({
    message: expect.stringContaining('This role may only read the journal'),
  });
  const partly = await asRoleWith(
    place,
    'adds',
    `${looking}; GRANT INSERT ON intents TO ROLE; GRANT UPDATE ON salt TO ROLE;
    GRANT INSERT, UPDATE ON owners TO ROLE`,
  );
  expect(await failureOf(async () => copy(await fileOf(1), partly))).toMatchObject({
    message: expect.stringContaining('This role may only read the journal'),
  });
});

test('a role that only reads, by its settings, is refused', async () => {
  const place = await newSharedPlace();
  const runner = grantsSql(place.schema, 'ROLE', 'run').replaceAll('"ROLE"', 'ROLE');
  const role = await asRoleWith(
    place,
    'settled',
    `${runner}; ALTER USER ROLE SET default_transaction_read_only = on`,
  );
  await expect(copy(await fileOf(1), role)).rejects.toMatchObject({ kind: 'role-reads-only' });
});

test('a role that may not replace the salt is refused before anything is asked, but only for an empty journal', async () => {
  const place = await newSharedPlace();
  const runner = grantsSql(place.schema, 'ROLE', 'run').replaceAll('"ROLE"', 'ROLE');
  const role = await asRoleWith(place, 'runs', runner);
  const confirm = () => Promise.reject(new Error('asked'));
  expect(await failureOf(async () => copy(await fileOf(1), role, { confirm }))).toMatchObject({
    code: 'journal-schema',
    message: expect.stringContaining('is empty, and this role may not give it the salt'),
  });
  await copy(await fileOf(1), place);
  expect(await copy(await fileOf(1), role)).toMatchObject({ added: 1, keepsTokens: false });
});
