// What each bench is, in one place: the program, its --help and README.md read it from here.

type Option = {
  /** Of a number: what it is if it is not given. */
  readonly usual?: number;
  readonly means: string;
};

/** What a line of a bench's table must not exceed, or must reach. */
export type Mark = {
  /** The line. */
  readonly of: string;
  readonly most?: number;
  readonly least?: number;
  readonly unit: string;
  /** The columns that it judges, by how their names begin; all, if it is not said. */
  readonly on?: string;
  /** What it protects, and where the number comes from. */
  readonly why: string;
};

export type Bench = {
  readonly name: BenchName;
  readonly compares: string;
  /** On two processors at rest. */
  readonly takes: string;
  readonly needs?: string;
  readonly options: Readonly<Record<string, Option>>;
  readonly marks: readonly Mark[];
  /** The table of docs/performance.md that it makes. */
  readonly table?: string;
};

/** What a bench was asked to do. */
export type Given = {
  has(flag: string): boolean;
  number(name: string): number;
};

export const commonOptions: Bench['options'] = {
  check: { means: 'exit 1 if a mark is missed or could not be measured' },
  markdown: { means: 'write the table into docs/performance.md, for the benches that have one there' },
  help: { means: 'show this; after a NAME, that bench alone' },
};

type Judge = (limit: number, unit: string, of: string, why: string, on?: string) => Mark;
const onlyOn = (on: string | undefined) => (on === undefined ? {} : { on });
const atMost: Judge = (most, unit, of, why, on) => ({ of, most, unit, why, ...onlyOn(on) });
const atLeast: Judge = (least, unit, of, why, on) => ({ of, least, unit, why, ...onlyOn(on) });

/** A column of the table is named after what ran the program. */
export const singleFile = 'single file';
const node20 = 'Node 20';
const bare = '× node -e 0';

const felt = 'A script that calls botctl in a loop feels every start.';

export type BenchName =
  | 'single'
  | 'latency'
  | 'batch'
  | 'shared'
  | 'history'
  | 'policy'
  | 'verify'
  | 'sandbox';

/** The first one is what `npm run bench` runs. */
export const benches: readonly Bench[] = [
  {
    name: 'single',
    compares:
      'single commands, whole processes, with `node -e 0`, the least that Node can do, and with programs that send the same and remember nothing',
    takes: '1 min',
    options: {
      rounds: { usual: 21, means: 'each command in turn, and again; the median counts' },
      entries: { usual: 1_000_000, means: 'how long the journal is that `history` lists' },
      file: { means: 'also the single file that `npm run binary` has made' },
    },
    marks: [
      atMost(1.5, bare, 'botctl --help', felt, node20),
      atMost(0.8, bare, 'botctl --help', 'Without Node a start must be felt as faster.', singleFile),
      atMost(3.2, bare, 'botctl send', felt, node20),
      atMost(2.4, bare, 'botctl send', felt, singleFile),
      atMost(
        2.9,
        bare,
        'botctl transfer, replayed',
        'Running it again is always right, so it must cost little.',
        node20,
      ),
      atMost(1.75, bare, 'botctl transfer, replayed', 'The same.', singleFile),
      atMost(
        2.2,
        bare,
        'botctl history',
        'A long journal with payments in view must list as fast as a short one.',
        node20,
      ),
      atMost(1.5, bare, 'botctl history', 'The same.', singleFile),
      atMost(
        1.1,
        '× its time',
        'botctl send, beside a script with fetch',
        'To remember must not cost more than to load fetch.',
      ),
      atMost(1.7, bare, 'peak memory of a send', 'Many sends at once must fit on a small runner.', 'Node'),
    ],
    table: 'figures',
  },
  {
    name: 'latency',
    compares:
      'a send over https with `gh`, curl and Python, through a network of its own that delays every packet',
    takes: '1 min',
    needs: 'root on Linux, /dev/net/tun, /usr/bin/python3, ip and openssl',
    options: {
      'round-trip': { usual: 20, means: 'milliseconds there and back' },
      rounds: { usual: 21, means: 'each program in turn, and again; the median counts' },
      file: { means: 'also the single file that `npm run binary` has made' },
    },
    marks: [
      atMost(
        1.2,
        '× its time',
        'botctl send, beside gh',
        'Over a real network round trips count: the connection must begin while the code loads.',
        node20,
      ),
      atMost(1.05, '× its time', 'botctl send, beside gh', 'The same.', singleFile),
    ],
    table: 'latency',
  },
  {
    name: 'batch',
    compares: 'rows a second, each durable before and after its request, with curl, which keeps nothing',
    takes: '6 min',
    needs: 'nginx, curl and xargs',
    options: { rounds: { usual: 3, means: 'all in turn, and again; the median counts' } },
    marks: [
      atLeast(
        0.24,
        '× curl --parallel',
        'batch send, 20,000 rows, 16 at a time',
        'A batch must be as fast as a service allows: each commit holds many rows.',
      ),
      atLeast(
        0.26,
        '× curl --parallel',
        'batch send, 50,000 rows, 16 at a time',
        'A longer batch must not be slower.',
      ),
      atLeast(
        0.12,
        '× curl --parallel',
        'batch transfer, 20,000 rows, 16 at a time',
        'A transfer is never claimed ahead, so fewer rows share a commit.',
      ),
      atMost(
        1.3,
        '× as much',
        'memory: 1,000,000 rows, beside 10,000',
        'A batch may be as long as its file.',
      ),
      atMost(
        5,
        's',
        '100,000 finished rows again, no service',
        'To run a finished batch again is always right, so it must cost little.',
      ),
    ],
    table: 'batch',
  },
  {
    name: 'shared',
    compares:
      'batches with a journal on PostgreSQL with two job queues that make the same requests; a single send with both journals; statements on a long journal',
    takes: '12 min',
    needs: 'nginx; npm, to install pg-boss and graphile-worker',
    options: {
      rows: { usual: 30_000, means: 'rows of a batch, and jobs of a queue' },
      rounds: { usual: 3, means: 'all in turn, and again; the median counts' },
      pairs: { usual: 31, means: 'sends with each journal' },
      entries: { usual: 1_000_000, means: 'how long the journal is that the statements ask' },
    },
    marks: [
      atLeast(
        1,
        '× its rows',
        'batch send, beside the faster plain queue',
        'A journal that can be asked later must not be slower than a queue at its defaults that forgets.',
        'one process',
      ),
      atMost(
        35,
        'ms',
        'a send: more than with a journal in a file',
        'A team’s journal must not make a single command slow.',
        'one process',
      ),
      atMost(
        2.5,
        'ms',
        'the slowest statement',
        'No statement may read the whole journal. One that does takes 200 ms.',
        'one process',
      ),
      atMost(
        1.3,
        '× as much',
        'memory of history --json: all, beside 10,000',
        'A list may be as long as the journal.',
        'one process',
      ),
    ],
    table: 'shared',
  },
  {
    name: 'history',
    compares: 'every filter of `history` with `history --limit 20`, and exports, in a file and on PostgreSQL',
    takes: '8 min',
    options: {
      entries: { usual: 1_000_000, means: 'how long the journal is' },
      rounds: { usual: 11, means: 'each filter in turn, and again; the median counts' },
    },
    marks: [
      atMost(
        2,
        '× history --limit 20',
        'the slowest filter',
        'A filter must find few among many without reading all.',
      ),
      atMost(
        1.3,
        '× as much',
        'memory of an export of half, beside a twentieth',
        'An export may be as long as the journal.',
      ),
    ],
  },
  {
    name: 'policy',
    compares: 'processor time of transfers under a limit of a day, and without one',
    takes: '2 min',
    options: {
      pairs: { usual: 41, means: 'single transfers of each kind' },
      rows: { usual: 10_000, means: 'rows of each batch' },
      rounds: { usual: 5, means: 'batches of each kind' },
    },
    marks: [
      atMost(5, 'ms', 'a transfer: more with a policy', 'A policy must not be left out because it is slow.'),
      atMost(
        20,
        '%',
        'a row: more with a policy',
        'The same. Each row asks what was spent, in the commit that claims it.',
      ),
    ],
  },
  {
    name: 'verify',
    compares: '`verify --all` with the least that a Solana node must be asked: one request a transfer',
    takes: '2 min',
    options: { transfers: { usual: 10_000, means: 'how many are proven' } },
    marks: [
      atMost(1.05, 'requests', 'requests a transfer', 'Public nodes limit how often they are asked.'),
      atMost(0, 'requests', 'requests when all is proven', 'What is proven stays proven.'),
      atMost(1.4, '× as much', 'memory: all, beside a tenth', 'The list may be as long as the journal.'),
    ],
  },
  {
    name: 'sandbox',
    compares: 'what the sandbox does in a second, each effect on the disk; nothing to compare it with',
    takes: '2 min',
    options: { transfers: { usual: 100_000, means: 'how many are made' } },
    marks: [
      atLeast(
        0.8,
        '× as many a second',
        'transfers, the others beside the first',
        'A sandbox that is kept for long must not grow slow.',
      ),
    ],
  },
];

export function sentenceOf({ most, least, unit, on }: Mark): string {
  const limit = most === undefined ? `at least ${least}` : `at most ${most}`;
  if (on === undefined) return `${limit} ${unit}`;
  const where = on === singleFile ? 'the single file' : on.startsWith('Node') ? `on ${on}` : `in ${on}`;
  return `${limit} ${unit}, ${where}`;
}
