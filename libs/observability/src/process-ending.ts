const asked = new AbortController();

/** Aborted as soon as the process was asked to end: what takes work from elsewhere stops taking it, before `close`. */
export const processEnding: AbortSignal = asked.signal;

/** For the one who hears the signals. */
export const tellEnding = (): void => asked.abort();
