const noticeableMs = 300;

type WaitingLine = {
  stream: NodeJS.WriteStream;
  color: boolean;
};

/**
 * A spinner that appears only when a wait becomes noticeable. ora is loaded then and not before: most runs
 * are over sooner.
 */
export async function withSpinner<Result>(
  why: string,
  work: Promise<Result>,
  line: WaitingLine,
): Promise<Result> {
  let stop = (): void => {};
  let over = false;
  const timer = setTimeout(() => {
    void import('ora').then(({ default: ora }) => {
      if (over) return;
      const spinner = ora({
        text: why,
        stream: line.stream,
        discardStdin: false,
        // Killed meanwhile, nobody would show it again.
        hideCursor: false,
        // Whether to spin is decided once, by the display; ora would ask the environment again.
        isEnabled: true,
        ...(line.color ? {} : { color: false }),
      }).start();
      stop = () => spinner.stop();
    });
  }, noticeableMs);
  try {
    return await work;
  } finally {
    over = true;
    clearTimeout(timer);
    stop();
  }
}
