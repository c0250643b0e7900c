import { describe } from 'vitest';
import { describeContract } from '../once/journal/contract/contract.ts';
import { describeSpending } from '../policy/spendingModel.ts';
import { inHand } from '../support/journals.ts';
import {
  declareDead,
  openShared,
  placesUsedAgain,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';

const store = (newPlace: () => Promise<SharedPlace>) => ({
  ...{ newPlace, declareDead },
  open: async (place: SharedPlace) => inHand(await openShared(place)),
});

describe.each([18, 15] as const)('on PostgreSQL %i', (version) => {
  describeContract('a shared journal', store(placesUsedAgain(version)));
});

describeSpending('on PostgreSQL', store(placesUsedAgain()), Number(process.env.BOTCTL_RUNS ?? 8));
