import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed` as the last line, for readers that do not know this test runner's summary. */
class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let passed = 0;
    let failed = 0;
    let skipped = 0;
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failed += 1;
        else skipped += 1;
      }
    }
    // The default reporter's summary is printed after this hook returns.
    process.once('exit', () => {
      process.stdout.write(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`);
    });
  }
}

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default ClosingLine;
