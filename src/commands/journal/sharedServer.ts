import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import type { Address } from '../../journal/postgres/address.ts';
import type { ServerFacts } from '../../journal/postgres/hello.ts';
import type { Line } from '../../journal/postgres/line.ts';
import { dataFolder } from '../../machine/folders.ts';
import { patienceOf, shownLocation, wholeAddress } from '../journalPath.ts';

/** The shared journal that a command looks after, and who answers for it. */
type SharedPlace = {
  /** Its URL without the password. */
  readonly place: string;
  readonly schema: string;
  readonly line: Line;
  readonly server: ServerFacts;
  /** Where this machine keeps what it notes for itself. */
  readonly dataFolder: string;
};

/** Runs `work` on a line to the server, whatever the journal there is like. */
export async function withServer<Result>(
  address: Address,
  given: Given,
  context: Context,
  work: (shared: SharedPlace) => Promise<Result>,
): Promise<Result> {
  const { meetServer, lineFailure } = await import('../../journal/postgres/meetServer.ts');
  const whole = await wholeAddress(address, context);
  const place = await shownLocation({ is: 'shared', address });
  const { line, server } = await meetServer(whole, patienceOf(given, context));
  try {
    return await work({ place, schema: address.schema, line, server, dataFolder: dataFolder(context.env) });
  } catch (error) {
    if (error instanceof Failure) throw error;
    // What breaks in the middle may have changed something; what is refused has not.
    context.doing.hasChanged = true;
    throw lineFailure(line, place, error);
  } finally {
    await line.close();
  }
}
