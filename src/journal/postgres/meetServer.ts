import { type Address, placeOf } from './address.ts';
import { refusalOfServer } from './checks.ts';
import { isOfNetwork, serverFailure, unreachable } from './faults.ts';
import { askServer, nameOfServer, type ServerFacts } from './hello.ts';
import type { Line } from './line.ts';
import { Lines, type Patience } from './lines.ts';

/** A line to the server for who looks after a journal: nothing is asked of the journal itself. */
export async function meetServer(
  address: Address,
  patience: Patience,
): Promise<{ readonly line: Line; readonly server: ServerFacts }> {
  let facts: ServerFacts | undefined;
  const lines = new Lines(address, patience, async (line) => {
    facts = await askServer(line);
    const refused = refusalOfServer(facts, placeOf(address));
    if (refused !== undefined) throw refused;
    return nameOfServer(facts);
  });
  const line = await lines.open();
  // What is asked now may take its time.
  line.answerWithin();
  return { line, server: facts as unknown as ServerFacts };
}

/** What went wrong on a line, by its name: where it broke, only that is known. */
export function lineFailure(line: Line, place: string, error: unknown): unknown {
  return line.isBroken || isOfNetwork(error) ? unreachable(error, place) : serverFailure(error, place);
}
