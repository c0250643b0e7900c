import type { Asked, Speaking } from '../engine/doing.ts';
import { makePlan, type Plan, type Sought, seek } from '../engine/plan.ts';
import { interruptedReading } from '../input/bytes.ts';
import { addressComplaint } from '../intent/address.ts';
import { fingerprint } from '../intent/canonical.ts';
import { type Complaint, complain, sentence } from '../intent/complaint.ts';
import { keyFor } from '../intent/naming.ts';
import { canonicalOf, type Kind, type Wanted } from '../intent/wanted.ts';
import type { Intent, Journal } from '../journal/journal.ts';
import { type CheckedRow, checkRow, isGoodId } from './checkRow.ts';
import type { RawRow } from './rawRow.ts';
import { namedByBody, namedById, type RowNaming } from './rowNaming.ts';
import type { Sheet, SheetRow, Standing } from './sheet.ts';
import { Tally } from './tally.ts';

/** What is asked of all rows alike. */
export type BatchAsked = {
  readonly kind: Kind;
  /** `--once`: the batch's name. */
  readonly name: string;
  readonly allowOffCurve: boolean;
};

export type SurveyWorld = {
  readonly sheet: Sheet;
  readonly speaking: Speaking;
  /** Absent where there is no journal yet, and none is to be made. */
  readonly journal: Journal | undefined;
  readonly now: () => number;
  readonly interrupted: AbortSignal;
};

export type BadRow = { readonly line: number; readonly id?: string; readonly reason: string };

/** Everything that is known of a batch before its first request. */
export type Survey = {
  readonly rows: number;
  readonly tally: Tally;
  /** Rows of this name that the journal knows and the input lacks. */
  readonly lacking: number;
  readonly firstBad: readonly BadRow[];
  readonly firstRefused: readonly BadRow[];
  readonly warnings: readonly string[];
};

export const shownBadRows = 20;
const shownWarnings = 20;

/** Reads and checks the whole input, and asks the journal of every row. Sends nothing, journals nothing. */
export async function survey(
  rows: AsyncIterable<RawRow>,
  asked: BatchAsked,
  world: SurveyWorld,
): Promise<Survey> {
  const surveyor = new Surveyor(asked, world);
  for await (const row of rows) {
    if (world.interrupted.aborted) throw interruptedReading('the input');
    surveyor.take(row);
  }
  return surveyor.survey();
}

class Surveyor {
  readonly #asked: BatchAsked;
  readonly #world: SurveyWorld;
  readonly #tally: Tally;
  readonly #firstBad: BadRow[] = [];
  readonly #firstRefused: BadRow[] = [];
  readonly #warnings = new Set<string>();
  #rows = 0;
  #known = 0;

  constructor(asked: BatchAsked, world: SurveyWorld) {
    this.#asked = asked;
    this.#world = world;
    this.#tally = new Tally(world.sheet);
  }

  survey(): Survey {
    const { kind, name } = this.#asked;
    const { journal, speaking } = this.#world;
    const inJournal = journal?.countRows({ baseUrl: speaking.baseUrl, kind }, name) ?? 0;
    return {
      rows: this.#rows,
      tally: this.#tally,
      lacking: Math.max(0, inJournal - this.#known),
      firstBad: this.#firstBad,
      firstRefused: this.#firstRefused,
      warnings: [...this.#warnings],
    };
  }

  take(row: RawRow): void {
    this.#rows += 1;
    const id = 'fields' in row ? row.fields.id : row.id;
    const goodId = isGoodId(id) ? id : undefined;
    if (goodId !== undefined && !this.#world.sheet.takeId(goodId, this.#rows)) {
      this.#refuseRepeated(row.line, goodId);
      return;
    }
    const checked = 'complaints' in row ? row : checkRow(row, this.#asked.kind);
    if (!('complaints' in checked)) {
      this.#plan(row.line, checked);
      return;
    }
    this.#countKnownId(goodId);
    this.#addInvalid(row.line, goodId, checked.complaints);
  }

  #plan(line: number, { wanted, id }: CheckedRow): void {
    const naming = this.#namingOf(wanted, id);
    const asked: Asked = { wanted, naming };
    const { sought, plan } = this.#look(asked);
    const standing = standingOf(plan);
    if (isRowOf(plan.found, this.#asked)) this.#known += 1;
    const complaint = standing === 'done' ? undefined : this.#offCurve(wanted);
    if (complaint !== undefined) {
      this.#addInvalid(line, id, [complaint]);
      return;
    }
    for (const warning of wanted.warnings) {
      if (this.#warnings.size < shownWarnings) this.#warnings.add(warning);
    }
    if (standing === 'refused' && this.#firstRefused.length < shownBadRows) {
      this.#firstRefused.push(badRow(line, id, refusals[plan.decision] ?? plan.decision));
    }
    this.#tally.add(standing, wanted.request);
    this.#world.sheet.add({
      ordinal: this.#rows,
      line,
      id,
      standing,
      row: naming.row,
      request: sought.canonical,
      intent: standing === 'new' || standing === 'refused' ? undefined : plan.found?.id,
      problem: undefined,
    });
  }

  #namingOf(wanted: Wanted, id: string | undefined): RowNaming {
    const { name } = this.#asked;
    if (id !== undefined) return namedById(name, id);
    const canonical = canonicalOf(wanted);
    return namedByBody(name, canonical, this.#world.sheet.countEqual(fingerprint(canonical)));
  }

  #look(asked: Asked): { sought: Sought; plan: Plan } {
    const { journal, speaking, now } = this.#world;
    if (journal !== undefined) {
      const sought = seek(asked, speaking, journal);
      return { sought, plan: makePlan(sought, speaking, journal, now()) };
    }
    const sought = seek(asked, speaking, { hashOf: () => '' });
    return { sought, plan: { decision: 'new', found: undefined, twin: undefined } };
  }

  /** The dearest of the checks: not made again for what is done. */
  #offCurve(wanted: Wanted): Complaint | undefined {
    if (wanted.kind === 'message' || this.#asked.allowOffCurve) return undefined;
    return addressComplaint(wanted.request.to_address, false);
  }

  /** A row that is invalid now may still be one that the journal knows: the input does not lack it. */
  #countKnownId(id: string | undefined): void {
    const { journal, speaking } = this.#world;
    if (id === undefined || journal === undefined) return;
    const { kind, name } = this.#asked;
    const place = { baseUrl: speaking.baseUrl, kind };
    const key = keyFor(namedById(name, id), place, '', () => '');
    if (isRowOf(journal.findByKey(place, key), this.#asked)) this.#known += 1;
  }

  /** Nobody knows which of the two is meant, so neither is sent. */
  #refuseRepeated(line: number, id: string): void {
    const { sheet } = this.#world;
    const first = sheet.firstWithId(id);
    const said = (other: number): Complaint => complain('id', 'given once', `is that of line ${other} too`);
    if (first !== undefined && first.standing !== 'invalid') {
      this.#tally.takeBack(first.standing, requestIn(first));
      this.#tally.add('invalid', undefined);
      sheet.spoil(first.ordinal, sentence(said(line)));
      this.#list(first.line, id, sentence(said(line)));
    }
    this.#addInvalid(line, id, [said(first?.line ?? line)]);
  }

  #addInvalid(line: number, id: string | undefined, complaints: readonly Complaint[]): void {
    const problem = complaints.map(sentence).join('; ');
    this.#tally.add('invalid', undefined);
    this.#list(line, id, problem);
    const rest = { standing: 'invalid', row: undefined, request: undefined, intent: undefined } as const;
    this.#world.sheet.add({ ordinal: this.#rows, line, id, ...rest, problem });
  }

  #list(line: number, id: string | undefined, reason: string): void {
    if (this.#firstBad.length < shownBadRows) this.#firstBad.push(badRow(line, id, reason));
  }
}

function isRowOf(found: Intent | undefined, { name }: BatchAsked): boolean {
  return found?.namedBy === 'row' && found.name === name;
}

function badRow(line: number, id: string | undefined, reason: string): BadRow {
  return { line, reason, ...(id === undefined ? {} : { id }) };
}

export function requestIn({ request }: SheetRow): Wanted['request'] | undefined {
  return request === undefined ? undefined : (JSON.parse(request) as Wanted['request']);
}

const standingsOfPlans: Readonly<Record<Plan['decision'], Standing>> = {
  new: 'new',
  again: 'new',
  'new-after-done': 'new',
  'leave-behind': 'new',
  resume: 'unfinished',
  replay: 'done',
  wait: 'elsewhere',
  'wait-for-twin': 'elsewhere',
  'needs-decision': 'held',
  'unfinished-twin': 'held',
  'other-bot': 'refused',
  'other-body': 'refused',
};

const refusals: Partial<Record<Plan['decision'], string>> = {
  'other-body': 'the id belongs to another body, which may have happened',
  'other-bot': 'the id belongs to another bot',
};

function standingOf({ decision }: Plan): Standing {
  return standingsOfPlans[decision];
}
