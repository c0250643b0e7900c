import { BaseSequencer, type TestSpecification } from 'vitest/node';

const slow = [
  /\/test\/proof\//u,
  // More than 4 s each: the others of e2e take one or two.
  /\/e2e\/(shared\w+|batch|once|canary|readme|team|pack|action|statuses|suggestions)\.test/u,
  /\/test\/e2e\/|\/postgres\/(contract|copy|servers|cuts)\.test/u,
  /\/test\/(journal|sandbox|scripts|testing)\//u,
];

/** What takes long begins first: no long file is left to run alone at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = slow.findIndex((folder) => folder.test(moduleId));
      return found < 0 ? slow.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
