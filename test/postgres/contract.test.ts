import { describeContract } from '../once/journal/contract/contract.ts';
import { describeSpending } from '../policy/spendingModel.ts';
import { inHand } from '../support/journals.ts';
import { inTurn } from '../support/postgres/inTurn.ts';
import {
  declareDead,
  openShared,
  placesUsedAgain,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';

const placesOf = inTurn(placesUsedAgain);

const store = {
  newPlace: () => placesOf()(),
  open: async (place: SharedPlace) => inHand(await openShared(place)),
  declareDead,
};

describeContract('a shared journal', store);
describeSpending('on PostgreSQL', store, Number(process.env.BOTCTL_RUNS ?? 8));
