import fc from 'fast-check';

/** One seed for every property: what `npm test` finds here it finds everywhere. `BOTCTL_SEED` plays another. */
const seed = Number(process.env.BOTCTL_SEED ?? 20_260_720);

fc.configureGlobal({ seed });
