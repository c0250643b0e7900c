/** The first signal means: start nothing new, let the flight land. The second: leave now. */
export interface Interrupts {
  readonly first: AbortSignal;
  readonly second: AbortSignal;
}

export function interruptsOfProcess(): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const onSignal = (): void => {
    if (first.signal.aborted) second.abort();
    first.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  return { first: first.signal, second: second.signal };
}
