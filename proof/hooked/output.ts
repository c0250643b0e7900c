import { step } from './steps.ts';

type Write = (...args: unknown[]) => boolean;

export function stepAtEveryWrite(stdout: NodeJS.WriteStream): void {
  const write = stdout.write.bind(stdout) as Write;
  stdout.write = ((...args: unknown[]) => {
    step('write to stdout');
    const written = write(...args);
    step('written to stdout');
    return written;
  }) as typeof stdout.write;
}
