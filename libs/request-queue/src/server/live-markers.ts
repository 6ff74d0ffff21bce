import { type QueueConnection } from '../connection/connection.js';
import { liveMarkerIntervalMs, liveMarkerTtlMs } from '../wire/keys.js';

/**
 * Live marker: key that exists while a replica serves a lane (one of the request lists of a
 * service). Its value is the maximum number of requests that may wait in the list.
 */
interface Marker {
  readonly key: string;
  readonly queueLimit: number;
}

/** Live markers of the lanes of a replica, written every 2.5 s. */
export class LiveMarkers {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: QueueConnection,
    private readonly markers: readonly Marker[],
  ) {}

  start(): void {
    const write = (): void => {
      // After a failure the markers are written at the next interval or connection
      this.writeMarkers().catch(() => undefined);
    };
    // Also at each reconnection, because a restarted Redis has lost the markers
    this.connection.onReady(write);
    this.timer = setInterval(write, liveMarkerIntervalMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async writeMarkers(): Promise<void> {
    const writes = this.markers.map(({ key, queueLimit }) =>
      this.connection.run((redis) => redis.set(key, queueLimit, 'PX', liveMarkerTtlMs)),
    );
    await Promise.all(writes);
  }
}
