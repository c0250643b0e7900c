import type { Home } from '../../../testing/home.ts';
import type { Dice } from '../../dice.ts';
import type { Aged, Deed } from './ages.ts';

/** A machine whose journal will be hurt. */
export type Patient = {
  readonly home: Home;
  /** The machine before its last send. */
  readonly before: Aged;
  readonly dice: Dice;
  /** A machine that has never seen a command, gone with the patient. */
  another(): Home;
};

/** The machine on which the same command runs afterwards, and how. */
export type Hurt = {
  readonly home: Home;
  /** What goes before the program on the line. */
  readonly under?: readonly string[];
  readonly words?: readonly string[];
  /** What else is asked again: something that it was about. */
  readonly old?: Deed;
  /** Other machines whose files a refusal must leave alone. */
  readonly others?: readonly Home[];
};

export type Injury = {
  readonly name: string;
  /** Nothing where there is nothing of the kind to be hurt. */
  readonly hurt: (patient: Patient) => Hurt | undefined | Promise<Hurt | undefined>;
  /** Nothing was lost by it: it must not be refused. */
  readonly isHarmless?: true;
  /** Done to every age at every stage; the others take turns. */
  readonly isCommon?: true;
  /** So often in each place, by other dice. */
  readonly times?: number;
};

/** Damage to the files in place; `false` if there is nothing to damage. */
export function inPlace(
  name: string,
  work: (patient: Patient) => unknown,
  more: Partial<Injury> = {},
): Injury {
  const hurt = async (patient: Patient): Promise<Hurt | undefined> =>
    (await work(patient)) === false ? undefined : { home: patient.home };
  return { name, hurt, ...more };
}
