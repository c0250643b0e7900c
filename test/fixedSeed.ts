import fc from 'fast-check';

/** One seed for every property test, so that `npm test` finds the same everywhere. `BOTCTL_SEED` sets another. */
const seed = Number(process.env.BOTCTL_SEED ?? 20_260_720);

fc.configureGlobal({ seed });
