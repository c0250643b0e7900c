import fc from 'fast-check';

/** One seed for every property test, so that `npm test` finds the same everywhere. `BOTCTL_SEED` sets another. */
const seed = Number(process.env.BOTCTL_SEED ?? 20_260_720);

// Who tries changes of the sources wants to know whether one is noticed. Looking for the shortest example takes so long
// that the test's time is over, and what still runs then spoils the tests after it.
const endOnFailure = process.env.MUTATE_PASS !== undefined;

fc.configureGlobal({ seed, endOnFailure });
