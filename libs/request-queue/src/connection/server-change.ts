import { type QueueConnection } from './connection.js';

/**
 * Calls `listener` after a reconnection to another server, or to the same server after a restart:
 * the lists are lost. A server that does not report its run id counts as the same server.
 *
 * @param listener receives the time of the connection, as `performance.now()`
 */
export function onServerChange(connection: QueueConnection, listener: (connectedAt: number) => void): void {
  let lastRunId: string | undefined;
  connection.onReady(() => {
    const connectedAt = performance.now();
    connection
      .run((redis) => redis.info('server'))
      .then(
        (info) => {
          const runId = /^run_id:(?<id>\w+)/m.exec(info)?.groups?.['id'] ?? lastRunId;
          const hasChanged = lastRunId !== undefined && runId !== lastRunId;
          lastRunId = runId;
          if (hasChanged) listener(connectedAt);
        },
        () => undefined,
      );
  });
}
