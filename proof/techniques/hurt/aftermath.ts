import type { Home } from '../../../test/support/home.ts';
import { type Job, say } from '../../jobs.ts';
import type { Play } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { journalRefusal, shortened, toldBy } from '../../told.ts';
import { contentsOf } from './files.ts';

/** What is asked of a hurt journal, and where. */
type Aftermath = {
  /** What was being sent when the journal was hurt. */
  readonly sent: Job;
  /** What it had done long before; nothing where it is young. */
  readonly old: Job | undefined;
  readonly mayBeRefused: boolean;
  /** A name that nobody has used yet. */
  readonly newName: string;
  readonly home: Home;
  /** Other machines whose files a refusal must leave alone. */
  readonly others?: readonly Home[];
};

/** Repeats the commands with a damaged journal. Whatever has happened or happens now must happen once. */
export async function askAgain(aftermath: Aftermath, play: Play): Promise<void> {
  const { sent, old } = aftermath;
  const happened = Math.min(1, (await play.effects()).length);
  const first = await ask(sent, aftermath, play);
  const refusal = journalRefusal(first);
  if (refusal === undefined && old !== undefined) await ask(old, aftermath, play, true);
  if (refusal !== undefined) await look(aftermath, play);
  const expected = first.code === 0 || isUnrecorded(first) ? 1 : happened;
  const isLoss = first.stdout.includes('journal accept-loss');
  await play.over(expected + (isLoss ? await accept(aftermath, play) : 0));
}

async function ask(
  { argv, stdin }: Job,
  { home, others = [], mayBeRefused }: Aftermath,
  play: Play,
  isOld = false,
): Promise<Ran> {
  const [files, effects] = [contentsOf([home, ...others]), (await play.effects()).length];
  const ran = await play.run(argv, { home, isJournalHurt: true, isOld, stdin });
  if (journalRefusal(ran) === undefined) {
    // What was hit in its record may need a person, or be another's by now.
    if (!isUnrecorded(ran)) play.expectExit(ran, 0, 10);
    return ran;
  }
  if (!mayBeRefused) play.wrong(`nothing was lost, and yet: ${shortened(ran)}`);
  if ((await play.effects()).length > effects) play.wrong(`refused, and yet sent: ${shortened(ran)}`);
  if (contentsOf([home, ...others]) !== files)
    play.wrong(`refused, and yet the files were changed: ${shortened(ran)}`);
  return ran;
}

/** A damaged record may not accept the result: the reply is then reported with exit 9. */
function isUnrecorded(ran: Ran): boolean {
  return ran.code === 9 && toldBy(ran).failure === 'not-recorded';
}

/** Reading is allowed, and changes nothing. */
async function look({ home, others = [] }: Aftermath, play: Play): Promise<void> {
  const files = contentsOf([home, ...others]);
  const ran = await play.run(['history', '--json'], { home, isJournalHurt: true });
  if (ran.code !== 0 && journalRefusal(ran) === undefined) play.wrong(`history: ${shortened(ran)}`);
  if (contentsOf([home, ...others]) !== files)
    play.wrong('history changed the files of a journal that has lost something');
}

/** After the loss is accepted, the journal works. Returns the new effects. */
async function accept({ home, newName }: Aftermath, play: Play): Promise<number> {
  const options = { home, isJournalHurt: true };
  const accepted = await play.run(['journal', 'accept-loss', '--yes', '--json'], options);
  if (journalRefusal(accepted) !== undefined) return 0;
  play.expectExit(accepted, 0);
  const { argv } = say('After the loss', '--once', newName);
  const ran = await play.run(argv, options);
  if (journalRefusal(ran) === 'journal-damaged') return 0;
  play.expectExit(ran, 0);
  play.expectExit(await play.run(argv, options), 0);
  return 1;
}
