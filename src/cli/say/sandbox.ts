/** Advice for a service that runs inside another command. */
export const moveByVariable = 'XDG_DATA_HOME moves it.';
export const readerGone = 'The reader of the sandbox’s output is gone, so the sandbox ends.';
