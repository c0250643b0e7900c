import type { Play } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { journalRefusal, shortened, toldBy } from '../../told.ts';
import { say } from '../concurrent/jobs.ts';
import type { Deed } from './ages.ts';
import { contentsOf } from './files.ts';
import type { Hurt } from './hurt.ts';

type Aftermath = {
  /** What was being sent when the journal was hurt. */
  readonly sent: Deed;
  /** What it had done long before; nothing where it is young. */
  readonly old: Deed | undefined;
  readonly mayBeRefused: boolean;
  readonly looksToo: boolean;
  /** A name that nobody has used yet. */
  readonly newName: string;
};

/** Repeats the commands with a damaged journal. Whatever has happened or happens now must happen once. */
export async function askAgain(aftermath: Aftermath, hurt: Hurt, play: Play): Promise<void> {
  const happened = Math.min(1, (await play.effects()).length);
  const first = await ask(aftermath.sent, aftermath, hurt, play);
  const refusal = journalRefusal(first);
  if (refusal === undefined && aftermath.old !== undefined)
    await ask(aftermath.old, aftermath, hurt, play, true);
  if (refusal !== undefined && aftermath.looksToo) await look(hurt, play);
  const expected = first.code === 0 || isUnrecorded(first) ? 1 : happened;
  const isLoss = first.stdout.includes('journal accept-loss');
  await play.over(expected + (isLoss ? await accept(aftermath.newName, hurt, play) : 0));
}

async function ask(
  deed: Deed,
  { mayBeRefused }: Aftermath,
  hurt: Hurt,
  play: Play,
  isOld = false,
): Promise<Ran> {
  const homes = [hurt.home, ...(hurt.others ?? [])];
  const [files, effects] = [contentsOf(homes), (await play.effects()).length];
  const argv = [...deed.argv, ...(hurt.words ?? [])];
  const ran = await runHurt(argv, hurt, play, {
    isOld,
    ...(deed.stdin === undefined ? {} : { stdin: deed.stdin }),
  });
  if (journalRefusal(ran) === undefined) {
    // What was hit in its record may need a person, or be another's by now.
    if (!isUnrecorded(ran)) play.expectExit(ran, 0, 10);
    return ran;
  }
  if (!mayBeRefused) play.wrong(`nothing was lost, and yet: ${shortened(ran)}`);
  if ((await play.effects()).length > effects) play.wrong(`refused, and yet sent: ${shortened(ran)}`);
  if (contentsOf(homes) !== files) play.wrong(`refused, and yet the files were changed: ${shortened(ran)}`);
  return ran;
}

/** A damaged record may not accept the result: the reply is then reported with exit 9. */
function isUnrecorded(ran: Ran): boolean {
  return ran.code === 9 && toldBy(ran).failure === 'not-recorded';
}

/** Reading is allowed, and changes nothing. */
async function look(hurt: Hurt, play: Play): Promise<void> {
  const homes = [hurt.home, ...(hurt.others ?? [])];
  const files = contentsOf(homes);
  const ran = await runHurt(['history', '--json', ...(hurt.words ?? [])], hurt, play);
  if (ran.code !== 0 && journalRefusal(ran) === undefined) play.wrong(`history: ${shortened(ran)}`);
  if (contentsOf(homes) !== files)
    play.wrong('history changed the files of a journal that has lost something');
}

/** After the loss is accepted, the journal works. Returns the new effects. */
async function accept(name: string, hurt: Hurt, play: Play): Promise<number> {
  const words = hurt.words ?? [];
  const accepted = await runHurt(['journal', 'accept-loss', '--yes', '--json', ...words], hurt, play);
  if (journalRefusal(accepted) !== undefined) return 0;
  play.expectExit(accepted, 0);
  const next = say('After the loss', '--once', name);
  const ran = await runHurt([...next.argv, ...words], hurt, play);
  if (journalRefusal(ran) === 'journal-damaged') return 0;
  play.expectExit(ran, 0);
  const again = await runHurt([...next.argv, ...words], hurt, play);
  play.expectExit(again, 0);
  return 1;
}

function runHurt(
  argv: readonly string[],
  { home, under }: Hurt,
  play: Play,
  more: { isOld?: boolean; stdin?: string } = {},
): Promise<Ran> {
  return play.run(argv, home, { isJournalHurt: true, ...(under === undefined ? {} : { under }), ...more });
}
