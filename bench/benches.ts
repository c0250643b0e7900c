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
      nodes: { means: 'also on Node 22, 24 and 26, which are fetched once' },
    },
    marks: [
      { of: 'botctl --help', most: 1.5, unit: bare, on: node20, why: felt },
      {
        of: 'botctl --help',
        most: 0.8,
        unit: bare,
        on: singleFile,
        why: 'Without Node a start must be felt as faster.',
      },
      { of: 'botctl send', most: 3.2, unit: bare, on: node20, why: felt },
      { of: 'botctl send', most: 2.4, unit: bare, on: singleFile, why: felt },
      {
        of: 'botctl transfer, replayed',
        most: 2.9,
        unit: bare,
        on: node20,
        why: 'Running it again is always right, so it must cost little.',
      },
      { of: 'botctl transfer, replayed', most: 1.75, unit: bare, on: singleFile, why: 'The same.' },
      {
        of: 'botctl history',
        most: 2.2,
        unit: bare,
        on: node20,
        why: 'A long journal with payments in view must list as fast as a short one.',
      },
      { of: 'botctl history', most: 1.5, unit: bare, on: singleFile, why: 'The same.' },
      {
        of: 'botctl send, beside a script with fetch',
        most: 1.1,
        unit: '× its time',
        why: 'To remember must not cost more than to load fetch.',
      },
      {
        of: 'peak memory of a send',
        most: 1.6,
        unit: bare,
        on: 'Node',
        why: 'Many sends at once must fit on a small runner.',
      },
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
      nodes: { means: 'also on Node 22, 24 and 26, which are fetched once' },
    },
    marks: [
      {
        of: 'botctl send, beside gh',
        most: 1.2,
        unit: '× its time',
        on: node20,
        why: 'Over a real network round trips count: the connection must begin while the code loads.',
      },
      { of: 'botctl send, beside gh', most: 1.05, unit: '× its time', on: singleFile, why: 'The same.' },
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
      {
        of: 'batch send, 20,000 rows, 16 at a time',
        least: 0.24,
        unit: '× curl --parallel',
        why: 'A batch must be as fast as a service allows: each commit holds many rows.',
      },
      {
        of: 'batch send, 50,000 rows, 16 at a time',
        least: 0.26,
        unit: '× curl --parallel',
        why: 'A longer batch must not be slower.',
      },
      {
        of: 'batch transfer, 20,000 rows, 16 at a time',
        least: 0.12,
        unit: '× curl --parallel',
        why: 'A transfer is never claimed ahead, so fewer rows share a commit.',
      },
      {
        of: 'memory: 1,000,000 rows, beside 10,000',
        most: 1.3,
        unit: '× as much',
        why: 'A batch may be as long as its file.',
      },
      {
        of: '100,000 finished rows again, no service',
        most: 5,
        unit: 's',
        why: 'To run a finished batch again is always right, so it must cost little.',
      },
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
      {
        of: 'batch send, beside the faster plain queue',
        least: 1,
        unit: '× its rows',
        on: 'one process',
        why: 'A journal that can be asked later must not be slower than a queue at its defaults that forgets.',
      },
      {
        of: 'a send: more than with a journal in a file',
        most: 35,
        unit: 'ms',
        on: 'one process',
        why: 'A team’s journal must not make a single command slow.',
      },
      {
        of: 'the slowest statement',
        most: 2.5,
        unit: 'ms',
        on: 'one process',
        why: 'No statement may read the whole journal. One that does takes 200 ms.',
      },
      {
        of: 'memory of history --json: all, beside 10,000',
        most: 1.3,
        unit: '× as much',
        on: 'one process',
        why: 'A list may be as long as the journal.',
      },
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
      {
        of: 'the slowest filter',
        most: 2,
        unit: '× history --limit 20',
        why: 'A filter must find few among many without reading all.',
      },
      {
        of: 'memory of an export of half, beside a twentieth',
        most: 1.3,
        unit: '× as much',
        why: 'An export may be as long as the journal.',
      },
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
      {
        of: 'a transfer: more with a policy',
        most: 5,
        unit: 'ms',
        why: 'A policy must not be left out because it is slow.',
      },
      {
        of: 'a row: more with a policy',
        most: 20,
        unit: '%',
        why: 'The same. Each row asks what was spent, in the commit that claims it.',
      },
    ],
  },
  {
    name: 'verify',
    compares: '`verify --all` with the least that a Solana node must be asked: one request a transfer',
    takes: '2 min',
    options: { transfers: { usual: 10_000, means: 'how many are proven' } },
    marks: [
      {
        of: 'requests a transfer',
        most: 1.05,
        unit: 'requests',
        why: 'Public nodes limit how often they are asked.',
      },
      { of: 'requests when all is proven', most: 0, unit: 'requests', why: 'What is proven stays proven.' },
      {
        of: 'memory: all, beside a tenth',
        most: 1.4,
        unit: '× as much',
        why: 'The list may be as long as the journal.',
      },
    ],
  },
  {
    name: 'sandbox',
    compares: 'what the sandbox does in a second, each effect on the disk; nothing to compare it with',
    takes: '2 min',
    options: { transfers: { usual: 100_000, means: 'how many are made' } },
    marks: [
      {
        of: 'transfers, the others beside the first',
        least: 0.8,
        unit: '× as many a second',
        why: 'A sandbox that is kept for long must not grow slow.',
      },
    ],
  },
];

export function sentenceOf({ most, least, unit, on }: Mark): string {
  const limit = most === undefined ? `at least ${least}` : `at most ${most}`;
  return `${limit} ${unit}${on === undefined ? '' : `, ${on === singleFile ? 'the single file' : `on ${on}`}`}`;
}
