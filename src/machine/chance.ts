/** Random numbers for backoff, and random ids for keys. */
export interface Chance {
  /** In [0, 1). */
  fraction(): number;
  uuid(): string;
}

const fewUuids = 4;
let uuidsMade = 0;

// Node makes 128 of them ahead; a command that needs one or two is quicker without.
function uuid(): string {
  uuidsMade += 1;
  return process.getBuiltinModule('node:crypto').randomUUID({ disableEntropyCache: uuidsMade <= fewUuids });
}

export const systemChance: Chance = { fraction: Math.random, uuid };
