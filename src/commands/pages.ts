import type { Intent } from '../journal/journal.ts';

// What is asked of the journal in one breath may be one question to it.
const pageLength = 100;

export async function* inPages(intents: AsyncIterable<Intent>): AsyncGenerator<readonly Intent[]> {
  let page: Intent[] = [];
  const noTrouble = Symbol();
  let trouble: unknown = noTrouble;
  try {
    for await (const intent of intents) {
      page.push(intent);
      if (page.length < pageLength) continue;
      const whole = page;
      page = [];
      yield whole;
    }
  } catch (thrown) {
    trouble = thrown;
  }
  if (page.length > 0) yield page;
  if (trouble !== noTrouble) throw trouble;
}
