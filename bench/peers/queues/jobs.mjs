import { readFileSync } from 'node:fs';

/** The jobs in a file, one in JSON a line, a thousand at a time. */
export function* jobsIn(path) {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  for (let first = 0; first < lines.length; first += 1000) {
    yield lines.slice(first, first + 1000).map((line) => JSON.parse(line));
  }
}
