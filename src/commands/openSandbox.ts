import { Failure } from '../errors.ts';
import { type RunningSandbox, type SandboxSettings, startSandbox } from '../sandbox/start.ts';

/** What helps where the service is started inside another command. */
export const embeddedAdvice = 'XDG_DATA_HOME moves it.';

/** Starts the embedded service; why it cannot is an error with a name. */
export async function openSandbox(settings: SandboxSettings, advice: string): Promise<RunningSandbox> {
  try {
    return await startSandbox(settings);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Failure('sandbox-unavailable', `The sandbox cannot start: ${message}.`, {
      hint: `Nothing was sent. It wanted ${settings.port === 0 ? 'any free port' : `port ${settings.port}`} and the folder ${settings.dataDir}; ${advice}`,
      cause,
    });
  }
}
