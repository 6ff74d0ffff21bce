import { type QueueConnection } from './connection.js';

/**
 * Calls `listener` when a connection was made again and leads to another server than before, or to the same one after
 * its restart: what waited in its lists is gone. A server that does not tell who it is counts as the same.
 *
 * @param listener gets the moment of the connection, by `performance.now()`
 */
export function onOtherServer(connection: QueueConnection, listener: (since: number) => void): void {
  let known: string | undefined;
  connection.onReady(() => {
    const since = performance.now();
    connection
      .run((redis) => redis.info('server'))
      .then(
        (info) => {
          const id = /^run_id:(?<id>\w+)/m.exec(info)?.groups?.['id'] ?? known;
          const isOther = known !== undefined && id !== known;
          known = id;
          if (isOther) listener(since);
        },
        () => undefined,
      );
  });
}
