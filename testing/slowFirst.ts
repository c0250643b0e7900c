import { BaseSequencer, type TestSpecification } from 'vitest/node';

const slow = [
  /\/test\/proof\//u,
  // These take more than 4 s each; the other e2e files take one or two.
  /\/e2e\/(shared\w+|asking|batch|canary|hugeInput|lateEnds|once|pack|paidAlready|pooler|readme|restoredServer|sandbox|team)\.test|\/postgres\/(contract|cuts|identities|servers)\.test/u,
  /\/test\/(e2e|postgres)\/|\/sqlite\/(file|processes)\.test/u,
  /\/test\/(once\/journal|sandbox|scripts|testing)\//u,
];

/** Starts slow files first, so that none runs alone at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = slow.findIndex((folder) => folder.test(moduleId));
      return found < 0 ? slow.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
