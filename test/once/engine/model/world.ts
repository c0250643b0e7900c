import { expect } from 'vitest';
import { verifyEach } from '../../../../src/chain/verify.ts';
import { type EntryAsShown as OnScreen, shownNow } from '../../../../src/once/engine/asShown.ts';
import type { EngineContext } from '../../../../src/once/engine/context.ts';
import { execute } from '../../../../src/once/engine/execute.ts';
import type { Outcome } from '../../../../src/once/engine/outcome.ts';
import { decideProposal, resolveEntry, resume } from '../../../../src/once/engine/resume.ts';
import { type BaseUrl, identityUrl, originOf } from '../../../../src/once/entry/baseUrl.ts';
import type { Kind } from '../../../../src/once/entry/wanted.ts';
import { Failure } from '../../../../src/once/failures.ts';
import type { Attempt, Entry, Journal } from '../../../../src/once/journal/journal.ts';
import type { Flight, Shipment } from '../../../../src/once/wire/flight.ts';
import type { Policies } from '../../../../src/policy/policy.ts';
import { readPolicy } from '../../../../src/policy/readPolicy.ts';
import { allOf } from '../../../support/journals.ts';
import { ScriptedEngine } from '../../../support/scriptedEngine.ts';
import { equal, latestOf, type Payment, searchedMessages } from '../design.ts';
import { ModelChain, mustShow, wantedIn } from './chain.ts';
import { type Fate, ModelService } from './service.ts';
import { commands, type Death, type History, type Rule, type Step } from './steps.ts';

/** What the caller of an unnamed command knows of it: enough to say when doing it anew is no repetition. */
type Known = { lastId: string; toldAtMs: number | undefined };

type Before = {
  readonly mine: string;
  readonly unnamed: boolean;
  readonly mayBegin: boolean;
  readonly count: number;
};

/** What one signature shows of an entry. */
type Shown = { readonly signature: string | undefined; readonly shown: string };

const happened = { state: 'resolved', resolvedAs: 'happened', decidedBy: 'chain' };

type Said = { signature?: string };

function replyOf({ status, reply }: Attempt): Said {
  if (status !== 200 || reply === undefined) return {};
  try {
    return JSON.parse(Buffer.from(reply).toString()) as Said;
  } catch {
    return {};
  }
}

/** What people have said of one body that waited for approval. */
type Proposal = 'waits' | 'approved' | 'declined';

/** Who does something, and what their policy says. */
type Acting = { readonly by: string; readonly rule: Rule | undefined };

const nobody: Acting = { by: 'nobody', rule: undefined };

function policiesOf(rule: Rule | undefined): Policies | undefined {
  if (rule === undefined) return undefined;
  const written = {
    schema: 'botctl-policy/1',
    limits: { SOL: {} },
    approve_above: { SOL: rule.above },
    ...(rule.byAnother ? { approvals: 'other' } : {}),
  };
  return [readPolicy(JSON.stringify(written), 'the model')];
}

function isAbove({ kind, body }: { readonly kind: Kind; readonly body: string }, acting: Acting): boolean {
  const { rule } = acting;
  return kind === 'transfer' && rule !== undefined && Number(wantedIn(body).amount) > Number(rule.above);
}

const bodyOf = ({ body }: Pick<Entry, 'body'>): string => Buffer.from(body).toString();

/** A key of the caller's own makes the same body at two paths, which are two entries. */
const proposalOf = (entry: Pick<Entry, 'id' | 'body'>): string => `${entry.id} ${bodyOf(entry)}`;

function paymentIn(body: string): Payment | undefined {
  const { to_address: to, asset, amount } = JSON.parse(body);
  return to === undefined ? undefined : { to, asset, amount };
}

/** It waits for a person, and nothing of it may be sent before. */
const waitsForApproval = ({ state, heldReason }: Entry): boolean =>
  state === 'held' && heldReason === 'approval';

/** What a world has for a journal. */
export type Ground = {
  open(scripted: ScriptedEngine): Journal | Promise<Journal>;
  /** Its process is gone, and everybody can tell. */
  end(journal: Journal, scripted: ScriptedEngine): void | Promise<void>;
  /** Others get their turn while a request is under way. */
  othersTurn(): Promise<void>;
};

const oneFile: Ground = {
  open: (scripted) => scripted.open(),
  end: (journal, scripted) => scripted.end(journal),
  othersTurn: async () => {
    for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
  },
};

/** Why it was refused; undefined if it was not. */
async function failureKindOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown.kind;
    throw thrown;
  }
}

/** What needs approval needs a name, and nothing happens without one. */
async function unlessUnnamed(ended: Promise<Outcome | undefined>): Promise<Outcome | undefined> {
  try {
    return await ended;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.kind === 'unnamed-proposal') return undefined;
    throw thrown;
  }
}

/** One machine, one service, and the promise between them, held up after every step. */
export class World {
  readonly scripted: ScriptedEngine;
  readonly #ground: Ground;
  readonly #service: ModelService;
  readonly #chain: ModelChain;
  /** How far the machine's clock is behind the true time. */
  #behindMs = 0;
  /** What a node said before an entry's first attempt. */
  /** What was proven, and by which signature. */
  readonly #proofs = new Map<string, Shown>();
  /** A process that only looks. */
  readonly #watcher: Journal;
  readonly #known = new Map<string, Known>();
  readonly #keys = new Map<string, string>();
  readonly #bodies = new Map<string, { body: string; attempts: number }>();
  /** Keys about which an operator decided wrongly: what follows is the operator's. */
  readonly #excused = new Set<string>();
  /** By their entries and bodies. */
  readonly #proposals = new Map<string, Proposal>();
  /** What waits for a database role that this world does not have. */
  readonly #forAnother = new Set<string>();
  /** Entries as somebody last looked at them. */
  readonly #seen = new Map<string, OnScreen>();
  /** By their IDs, the bodies that waited for approval. */
  readonly #proposedBodies = new Map<string, string>();
  #acting: Acting = nobody;
  readonly #inFlight = new Set<string>();
  readonly #broken: unknown[] = [];

  private constructor({ parsed }: History, scripted: ScriptedEngine, ground: Ground, watcher: Journal) {
    this.scripted = scripted;
    this.#ground = ground;
    this.#chain = new ModelChain(() => scripted.clock.now() + this.#behindMs);
    this.#service = new ModelService(parsed, () => scripted.clock.now(), this.#chain);
    this.#watcher = watcher;
  }

  static async begin(history: History, folder?: string, ground: Ground = oneFile): Promise<World> {
    const scripted = new ScriptedEngine(folder);
    return new World(history, scripted, ground, await ground.open(scripted));
  }

  async close(): Promise<void> {
    await this.#ground.end(this.#watcher, this.scripted);
    this.scripted.remove();
  }

  async take(step: Step): Promise<void> {
    this.#acting = 'rule' in step ? { by: step.by, rule: step.rule } : nobody;
    switch (step.is) {
      case 'run': {
        const { order, bot } = this.#command(step.command);
        const { url: spelledUrl, token } = step;
        const before = await this.#before(step.command, spelledUrl, token);
        const ended = await unlessUnnamed(
          this.#live(step.fates, step.death, { bot, token, spelledUrl }, (engine) =>
            execute(order, { ...engine, proposes: step.proposes }),
          ),
        );
        await this.#after(before, ended, step.told);
        break;
      }
      case 'run-twice-at-once': {
        const { order, bot } = this.#command(step.command);
        // Without a name, two paths are two commands.
        const one = step.urls[0];
        const other = order.naming.by === 'nothing' ? one : step.urls[1];
        const before = await this.#before(step.command, one);
        const [left, right] = await Promise.all([
          unlessUnnamed(
            this.#live(step.fates, undefined, { bot, spelledUrl: one }, (engine) => execute(order, engine)),
          ),
          unlessUnnamed(
            this.#live(step.fates, step.death, { bot, spelledUrl: other }, (engine) =>
              execute(order, engine),
            ),
          ),
        ]);
        // A name at another path is another entry.
        const most = identityUrl(one) === identityUrl(other) ? 1 : 2;
        await this.#after(before, left ?? right, step.told, most);
        break;
      }
      case 'look':
        for (const { id } of await this.#entries())
          this.#seen.set(id, await shownNow(id, this.#watcher.reads));
        break;
      case 'resume':
        await this.#resume(step);
        break;
      case 'approve':
        await this.#approve(step);
        break;
      case 'decline':
        await this.#decline(step);
        break;
      case 'resolve':
        await this.#resolve(step);
        break;
      case 'verify':
        await this.#verify(step);
        break;
      case 'time-passes':
        this.#service.settle();
        this.scripted.clock.nowMs += step.ms;
        break;
      case 'clock-steps-back':
        this.#service.settle();
        this.scripted.clock.nowMs -= step.ms;
        this.#behindMs += step.ms;
        break;
    }
    await this.#noteProposals();
    await this.#holdUp();
  }

  #command(index: number): (typeof commands)[number] {
    const found = commands[index];
    if (found === undefined) throw new Error('no such command');
    return found;
  }

  #entries(): Promise<Entry[]> {
    return allOf(this.#watcher.reads.select({ limit: 1000 }));
  }

  /** Lives until its end or its death; whoever dies says nothing. */
  async #live(
    fates: readonly Fate[],
    death: Death | undefined,
    as: { bot?: string; token?: string; spelledUrl?: BaseUrl },
    work: (engine: EngineContext) => Promise<Outcome>,
  ): Promise<Outcome | undefined> {
    const journal = await this.#ground.open(this.scripted);
    let steps = 0;
    let die: () => void = () => {};
    const dead = new Promise<undefined>((resolve) => {
      die = () => resolve(undefined);
    });
    const gone = new Promise<never>(() => {});
    /** Each commit, flight and pause is a step; the dead do nothing more. */
    const mortal = async <Result>(doIt: () => Result | Promise<Result>): Promise<Result> => {
      const mine = steps;
      steps += 1;
      const last = death !== undefined && mine >= death.atStep;
      if (!last) return doIt();
      if (mine === death.atStep && death.after) await doIt();
      die();
      return gone;
    };
    let flown = 0;
    const engine = this.scripted.engine({
      ...as,
      journal,
      who: this.#acting.by,
      policies: policiesOf(this.#acting.rule),
      limits: { maxWaitMs: 1_500 },
      commit: (work, guards) => mortal(() => journal.commit(work, guards)),
      clock: {
        now: () => this.scripted.clock.now(),
        sleep: (ms, signal) => mortal(() => this.scripted.clock.sleep(ms, signal)),
      },
      connection: {
        url: as.spelledUrl ?? 'https://bots.example',
        channel: {
          fly: (shipment, limits) =>
            mortal(async () => {
              const fate = fates[flown] ?? 'lost-undone';
              flown += 1;
              const shut = limits.lastCheck();
              if (shut !== undefined)
                return { came: 'nothing', headersSent: false, trouble: shut, shut: true };
              try {
                return await this.#fly(shipment, as.spelledUrl, fate);
              } catch (broken) {
                // The engine takes what a channel throws for a lost reply: the promise is not to be lost with it.
                this.#broken.push(broken);
                throw broken;
              }
            }),
          close: async () => {},
        },
      },
    });
    const ended = await Promise.race([work(engine), dead]);
    await this.#ground.end(journal, this.scripted);
    // Nothing is the matter with this disk: a journal that refuses something was asked for what it forbids.
    if (ended?.is === 'not-recorded') throw ended.cause;
    return ended;
  }

  async #fly(shipment: Shipment, url: BaseUrl | undefined, fate: Fate): Promise<Flight> {
    const body = Buffer.from(shipment.body).toString();
    const kind: Kind = shipment.url.endsWith('/messages/send') ? 'message' : 'transfer';
    const { idempotency_key: key } = JSON.parse(body) as { idempotency_key: string };
    await this.#expectApproved(await this.#expectOnRecord(key, body));
    const flight = this.#service.answer({ kind, key, body, at: url && identityUrl(url) }, fate);
    expect([...this.#inFlight]).not.toContain(key);
    this.#inFlight.add(key);
    await this.#ground.othersTurn();
    this.#inFlight.delete(key);
    return flight;
  }

  /** Whatever leaves is on record first; it is frozen; and nothing equal was paid. */
  async #expectOnRecord(key: string, body: string): Promise<Entry> {
    const entry = (await this.#entries()).find((one) => one.key === key && one.state === 'sending');
    if (entry === undefined) throw new Error(`${key} left without an entry that is being sent`);
    expect(bodyOf(entry)).toBe(body);
    const attempts = await this.#watcher.reads.attemptsOf(entry.id);
    expect(attempts.at(-1)).toMatchObject({ verdict: undefined });
    const before = this.#bodies.get(key);
    if (before !== undefined && before.body !== body) {
      const plainlyRefused = attempts
        .slice(0, before.attempts)
        .every(({ verdict }) => verdict === 'rejected' || verdict === 'unsent' || verdict === 'limited');
      expect(plainlyRefused).toBe(true);
    }
    this.#bodies.set(key, { body, attempts: attempts.length });
    if (entry.inDoubtSinceMs === undefined) await this.#expectNoEqual(entry);
    return entry;
  }

  /**
   * What was proposed, or is above the limit, leaves only after an approval of this very body; what was declined,
   * never.
   */
  async #expectApproved(entry: Entry): Promise<void> {
    const { kind } = entry;
    const [body, now] = [bodyOf(entry), this.#proposals.get(proposalOf(entry))];
    if (now === undefined && !isAbove({ kind, body }, this.#acting)) return;
    expect({ body, now }).toEqual({ body, now: 'approved' });
    // All of this world have one database role, or none.
    expect(this.#acting.rule?.byAnother).not.toBe(true);
  }

  /** Whatever the step was: what waits now, and what was declined. */
  async #noteProposals(): Promise<void> {
    for (const entry of await this.#entries()) {
      const [body, proposal] = [bodyOf(entry), proposalOf(entry)];
      const { id, state } = entry;
      expect({ id, body }).toEqual({ id, body: this.#proposedBodies.get(id) ?? body });
      if (waitsForApproval(entry)) {
        this.#proposedBodies.set(id, body);
        // What was declined is not proposed again.
        expect({ id, before: this.#proposals.get(proposal) }).not.toEqual({ id, before: 'declined' });
        if (this.#proposals.get(proposal) !== 'waits' && this.#acting.rule?.byAnother === true)
          this.#forAnother.add(proposal);
        this.#proposals.set(proposal, 'waits');
      } else if (state === 'declined') this.#proposals.set(proposal, 'declined');
      // Nobody but a person lets it go.
      else expect({ id, now: this.#proposals.get(proposal) }).not.toEqual({ id, now: 'waits' });
    }
  }

  /** What somebody decides about, and how that stands in truth. */
  async #lookAt({ which, isLate }: Pick<Extract<Step, { is: 'resolve' }>, 'which' | 'isLate'>) {
    const now = await this.#pick(which);
    if (now === undefined) return undefined;
    const candidate = await shownNow(now.id, this.#watcher.reads);
    const shown = (isLate ? this.#seen.get(now.id) : undefined) ?? candidate;
    // That its process is dead was shown, too.
    const seen = ({ entry, decisions }: OnScreen): string => {
      const { state, ownerLives, attempts } = entry;
      const standing = state === 'sending' && !ownerLives ? 'unknown' : state;
      return JSON.stringify([bodyOf(entry), standing, attempts, decisions]);
    };
    return { shown, now, isSame: seen(shown) === seen(candidate) };
  }

  async #approve({ by, ...about }: Extract<Step, { is: 'approve' | 'decline' }>): Promise<void> {
    const looked = await this.#lookAt(about);
    if (looked === undefined) return;
    const { shown, now: entry, isSame } = looked;
    const word = { ...this.scripted.word('approved'), kind: 'approved', who: by } as const;
    const refused = await failureKindOf(() => decideProposal(shown, word, this.#watcher));
    const before = this.#proposals.get(proposalOf(entry));
    const changed = isSame ? undefined : 'changed-since-shown';
    const expected = {
      waits: this.#forAnother.has(proposalOf(entry)) ? 'needs-another-role' : changed,
      approved: undefined,
      declined: 'proposal-declined',
      none: 'not-a-proposal',
    };
    expect({ before, refused }).toEqual({ before, refused: expected[before ?? 'none'] });
    if (refused === undefined) this.#proposals.set(proposalOf(entry), 'approved');
    const after = await this.#watcher.reads.get(entry.id);
    // Nothing is sent.
    if (refused === undefined && before === 'waits') expect(after?.state).toBe('open');
    expect(after?.attempts).toBe(entry.attempts);
  }

  async #decline({ by, ...about }: Extract<Step, { is: 'approve' | 'decline' }>): Promise<void> {
    const looked = await this.#lookAt(about);
    if (looked === undefined) return;
    const { shown, now: entry, isSame } = looked;
    const word = { ...this.scripted.word('declined'), kind: 'declined', who: by } as const;
    const refused = await failureKindOf(() => decideProposal(shown, word, this.#watcher));
    const { state } = (await this.#watcher.reads.get(entry.id)) ?? entry;
    if (refused === undefined) expect(state).toBe('declined');
    if (entry.state === 'declined') return expect(refused).toBeUndefined();
    // What may have taken effect is never declined, and what was approved only while nothing was paid.
    const isApproved = this.#proposals.get(proposalOf(entry)) === 'approved';
    const mayDecline = waitsForApproval(entry) || (['open', 'rejected'].includes(entry.state) && isApproved);
    if (!mayDecline) expect(refused).toBe('not-a-proposal');
    else expect(refused).toBe(isSame ? undefined : 'changed-since-shown');
  }

  /** What was paid, or may have been, is not paid besides under another entry. */
  async #expectNoEqual(entry: Entry): Promise<void> {
    if (entry.kind === 'message') return;
    const nowMs = this.scripted.clock.now();
    for (const other of await this.#entries()) {
      if (other.id === entry.id || originOf(other.baseUrl) !== originOf(entry.baseUrl)) continue;
      const [mine, theirs] = [entry, other].map((one) => paymentIn(bodyOf(one)));
      if (mine === undefined || theirs === undefined || !equal(mine, theirs, [])) continue;
      const beside = { sent: entry.id, beside: other.id, state: other.state };
      const isDoubtful = other.state === 'held' && !waitsForApproval(other);
      const stays = other.state === 'sending' || other.state === 'unknown' || isDoubtful;
      expect({ ...beside, stays }).toMatchObject({ stays: false });
      if (other.state !== 'accepted' && other.resolvedAs !== 'happened') continue;
      const latest = latestOf(await this.#latestThatMayHavePaid(other), nowMs);
      expect({ ...beside, latest }).toMatchObject({ latest: 'older' });
    }
  }

  async #latestThatMayHavePaid({ id }: Entry): Promise<number | undefined> {
    const attempts = await this.#watcher.reads.attemptsOf(id);
    const notPaid = ['rejected', 'unsent', 'limited'];
    return attempts.findLast(({ verdict }) => !notPaid.includes(verdict ?? ''))?.startedAtMs;
  }

  async #before(index: number, url: BaseUrl, token = 'token-1'): Promise<Before> {
    const { order, bot } = this.#command(index);
    // Another token of the environment is another bot; what stands between the two is asked as it leaves.
    const mine = JSON.stringify([identityUrl(url), order, bot, bot === 'env' ? token : undefined]);
    const known = this.#known.get(mine);
    const last = known && (await this.#watcher.reads.get(known.lastId));
    return {
      mine,
      unnamed: order.naming.by === 'nothing',
      mayBegin: last === undefined || this.#isOver(last, known?.toldAtMs),
      count: (await this.#entries()).length,
    };
  }

  /** Whether doing the same anew is no repetition of this one. */
  #isOver(last: Entry, toldAtMs: number | undefined): boolean {
    const nowMs = this.scripted.clock.now();
    if (last.kind === 'message' && nowMs - last.createdAtMs > searchedMessages) return true;
    if (last.state === 'rejected') return true;
    const isDone = last.state === 'accepted' || last.resolvedAs === 'happened';
    if (!isDone || toldAtMs === undefined) return false;
    return last.kind === 'message' || latestOf(last.countsAtMs, nowMs) === 'older';
  }

  async #after(before: Before, ended: Outcome | undefined, told: boolean, most = 1): Promise<void> {
    const entries = await this.#entries();
    const createdNow = entries.length - before.count;
    const [newest, other] = entries.sort((left, right) => right.id.localeCompare(left.id));
    // Of two at once without a name, the second begins again what the service has refused the first (section 4, row 8).
    const isBegunAgain = before.unnamed && most === 1 && createdNow === 2 && other?.state === 'rejected';
    expect(createdNow).toBeLessThanOrEqual(isBegunAgain ? 2 : most);
    if (before.unnamed && createdNow > 0 && newest !== undefined) {
      expect({ command: before.mine, mayBegin: before.mayBegin }).toEqual({
        command: before.mine,
        mayBegin: true,
      });
      this.#known.set(before.mine, { lastId: newest.id, toldAtMs: undefined });
    }
    if (ended?.is !== 'concluded') return;
    const { id, state, resolvedAs } = ended.entry;
    if (state === 'declined')
      expect(ended).toMatchObject({ replayed: false, declined: { kind: 'declined' } });
    // Unless another one has gone on with it since.
    const now = await this.#watcher.reads.get(id);
    if (now?.attempts === ended.entry.attempts) expect(now.state).toBe(state);
    if (!told || !(state === 'accepted' || resolvedAs === 'happened')) return;
    await this.#watcher.commit((tx) => tx.markReported(id, this.scripted.clock.now()));
    const known = this.#known.get(before.mine);
    if (known?.lastId === id) known.toldAtMs ??= this.scripted.clock.now();
  }

  async #pick(which: number): Promise<Entry | undefined> {
    const entries = (await this.#entries()).sort((left, right) => left.id.localeCompare(right.id));
    return entries[which % Math.max(1, entries.length)];
  }

  async #resume({ sendAgain, fates, death, ...about }: Extract<Step, { is: 'resume' }>): Promise<void> {
    const looked = await this.#lookAt(about);
    if (looked === undefined) return;
    const { shown, now: entry, isSame } = looked;
    const word = sendAgain ? this.scripted.word('send-again') : undefined;
    const couldRepeat = this.#service.effectsOf(entry.key) > 0 && !this.#service.knows(entry.kind, entry.key);
    if (word !== undefined && isSame && entry.state === 'held' && couldRepeat) this.#excused.add(entry.key);
    const { bot, baseUrl: spelledUrl } = entry;
    const refused = await failureKindOf(() =>
      unlessUnnamed(this.#live(fates, death, { bot, spelledUrl }, (engine) => resume(shown, engine, word))),
    );
    const isRefused = word !== undefined && entry.state === 'held' && !isSame;
    if (death === undefined || !isRefused)
      expect(refused).toBe(isRefused ? 'changed-since-shown' : undefined);
  }

  async #resolve({ rightly, ...about }: Extract<Step, { is: 'resolve' }>): Promise<void> {
    const looked = await this.#lookAt(about);
    if (looked === undefined) return;
    const { shown, now: entry, isSame } = looked;
    if (entry.state === 'accepted' || entry.state === 'rejected') return;
    // Whoever looks has waited until nothing is under way any more.
    this.#service.settle();
    const happened = this.#service.effectsOf(entry.key) > 0;
    const kind = happened === rightly ? 'happened' : 'did-not-happen';
    const word = this.scripted.word(kind);
    const refused = await failureKindOf(() => resolveEntry(shown, word, this.#watcher));
    const proposal = this.#proposals.get(proposalOf(entry));
    const isApproved = proposal === 'approved' && entry.state === 'open';
    const isSettled = entry.resolvedAs === kind && shown.entry.resolvedAs !== kind;
    const changed = isSame || isSettled ? undefined : 'changed-since-shown';
    const why = isApproved ? 'is-approved' : changed;
    const ofProposals = { waits: 'is-proposal', declined: 'proposal-declined', approved: why };
    expect(refused).toBe(proposal === undefined ? changed : ofProposals[proposal]);
    if (refused !== undefined || isSettled) return;
    if (!rightly) this.#excused.add(entry.key);
  }

  /** Somebody asks the chain: nothing else is shown or decided than what must be. */
  async #verify({ newestFirst, isFinal }: Extract<Step, { is: 'verify' }>): Promise<void> {
    this.#chain.isFinal = isFinal;
    const transfers = (await this.#entries()).filter(({ kind }) => kind === 'transfer');
    transfers.sort((left, right) => left.id.localeCompare(right.id) * (newestFirst ? -1 : 1));
    const journal = await this.#ground.open(this.scripted);
    for (const transfer of transfers) await this.#verifyOne(transfer, journal);
    await this.#ground.end(journal, this.scripted);
  }

  async #verifyOne(entry: Entry, journal: Journal): Promise<void> {
    const { id } = entry;
    const attempts = await this.#watcher.reads.attemptsOf(id);
    const proof = this.#proofs.get(id);
    const shows = proof === undefined ? await this.#mustShow(entry, attempts) : [proof];
    const seen = await this.#askChain(entry, journal);
    // Where the chain has two of an entry's own signatures, either proves it.
    const proofs = shows.filter(({ shown }) => shown.startsWith('proven'));
    expect(proofs.length === 0 ? shows : proofs).toContainEqual(seen);
    const proven = proofs.length === 0 ? undefined : seen;
    const against = shows.filter(({ shown }) => shown.startsWith('contradicted'));
    // What speaks against one signature is not the last word while another is undecided.
    if (proven === undefined && against.length < shows.length) expect(against).not.toContainEqual(seen);
    if (proven !== undefined) this.#proofs.set(id, proven);
    const { state, resolvedAs } = (await this.#watcher.reads.get(id)) ?? entry;
    const isNew = proof === undefined && proven?.shown === 'proven';
    const wasInDoubt = ['unknown', 'held', 'sending'].includes(entry.state);
    const decides = isNew && wasInDoubt;
    const decidedBy = (await this.#watcher.reads.decisionsOf(id)).at(-1)?.who;
    if (decides) expect({ id, state, resolvedAs, decidedBy }).toEqual({ ...happened, id });
    else {
      const died = isNew && entry.state === 'sending' ? 'unknown' : entry.state;
      expect({ id, state, resolvedAs }).toEqual({ id, state: died, resolvedAs: entry.resolvedAs });
    }
  }

  async #mustShow(entry: Entry, attempts: readonly Attempt[]): Promise<Shown[]> {
    const accepted = attempts.filter(({ verdict }) => verdict === 'accepted');
    const telling = entry.state === 'accepted' ? accepted : attempts;
    const signatures = new Set(telling.flatMap((one) => replyOf(one).signature ?? []));
    if (signatures.size === 0) return [{ signature: undefined, shown: 'undecided no-signature' }];
    const shows: Shown[] = [];
    for (const signature of signatures) {
      const shown = mustShow(this.#chain.paidBy(signature), {
        wanted: wantedIn(Buffer.from(entry.body).toString()),
        firstAttemptMs: attempts[0]?.startedAtMs ?? Number.NaN,
        isNamed: entry.namedBy !== undefined,
        isAnothers: await this.#isAnothers(signature, entry),
        isFinal: this.#chain.isFinal,
      });
      shows.push({ signature, shown });
    }
    return shows;
  }

  /** It has proven another entry, or the service has given it to one of the same payment. */
  async #isAnothers(signature: string, { id, baseUrl }: Entry): Promise<boolean> {
    if ([...this.#proofs.values()].some((one) => one.signature === signature)) return true;
    const { reads } = this.#watcher;
    const given = { origin: baseUrl, what: 'signature', value: signature } as const;
    const otherId = await reads.otherHolder(id, [given]);
    return otherId !== undefined;
  }

  async #askChain(entry: Entry, journal: Journal): Promise<Shown> {
    const seen: Shown[] = [];
    const dated = { ...journal, clock: this.scripted.clock };
    await verifyEach([entry], { of: async () => this.#chain.opened() }, dated, async ({ view }) => {
      const { verdict, reasons, signature } = view;
      seen.push({ signature, shown: [verdict, ...reasons].join(' ') });
    });
    return seen[0] ?? { signature: undefined, shown: 'nothing' };
  }

  /** The promise: after every step, whatever it was. */
  async #holdUp(): Promise<void> {
    if (this.#broken.length > 0) throw this.#broken[0];
    const unsettled = new Map<string, number>();
    const names = new Map<string, string>();
    for (const entry of await this.#entries()) {
      const { id, key, state, identity, wasInDoubt: inDoubt, baseUrl } = entry;
      if (entry.name !== undefined) {
        const body = entry.namedBy === 'run' ? entry.fingerprint : '';
        const name = `${entry.baseUrl} ${entry.kind} ${entry.namedBy} ${entry.name} ${entry.rowId} ${body}`;
        expect({ name, id: names.get(name) ?? id }).toEqual({ name, id });
        names.set(name, id);
      }
      expect(this.#keys.get(id) ?? key).toBe(key);
      this.#keys.set(id, key);
      const effects = this.#service.effectsOf(key);
      // Under a key of the caller's own, another path may have done it.
      const own = this.#service.effectsOf(key, identityUrl(baseUrl));
      if (!this.#excused.has(key)) {
        expect({ id, effects: Math.max(effects, 1) }).toEqual({ id, effects: 1 });
        if (state === 'accepted' && !this.#service.lies.has(key))
          expect({ id, state, effects }).toEqual({ id, state, effects: 1 });
        if (state === 'rejected' || state === 'open')
          expect({ id, state, own }).toEqual({ id, state, own: 0 });
      }
      if (own > 0 && state !== 'accepted')
        expect({ id, inDoubt }).toEqual({ id, inDoubt: state !== 'sending' || inDoubt });
      if (state === 'unknown' || state === 'sending' || state === 'open') {
        unsettled.set(identity, (unsettled.get(identity) ?? 0) + 1);
      }
    }
    for (const [identity, count] of unsettled) expect({ identity, count }).toEqual({ identity, count: 1 });
    for (const { key } of this.#service.ledger) expect([...this.#keys.values()]).toContain(key);
  }
}
