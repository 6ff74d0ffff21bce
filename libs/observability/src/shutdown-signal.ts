const controller = new AbortController();

/**
 * Aborted when the shutdown of the process begins, before `close`: consumers stop taking new work.
 */
export const shutdownSignal: AbortSignal = controller.signal;

/** Aborts `shutdownSignal`; called by the handler of process signals. */
export const beginShutdown = (): void => controller.abort();
