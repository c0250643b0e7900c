import { expect, test } from 'vitest';
import { fewChanged, fill } from '../once/journal/contract/questions.ts';
import { inHand } from '../support/journals.ts';
import { newSharedPlace, onServer, openShared } from '../support/postgres/sharedJournal.ts';

test('no change is taken for made where the server refuses it, whichever it is', async () => {
  const place = await newSharedPlace();
  const journal = inHand(await openShared(place));
  await fill(journal, 60);
  await onServer(place, (client) =>
    client.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = 'ZJ001'; END $$;
      DO $$ DECLARE one text; BEGIN
        FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'owners' LOOP
          EXECUTE format('CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT
            EXECUTE FUNCTION refuse()', one);
        END LOOP; END $$`),
  );
  // Nothing is left of who has died there.
  const changing = fewChanged.filter(([what]) => what !== 'record a death');
  for (const [what, work] of changing)
    await expect(work(journal), what).rejects.toMatchObject({ kind: 'rules-refused' });
});
