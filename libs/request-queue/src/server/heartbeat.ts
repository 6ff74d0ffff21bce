import { type QueueConnection } from '../connection/connection.js';
import { beatEveryMs, liveTtlMs } from '../wire/keys.js';

/** A live marker and its content: how many requests may wait in the list that goes with it. */
interface Marker {
  readonly key: string;
  readonly queueLimit: number;
}

/** Writes the live markers of a service every 2.5 s. */
export class Heartbeat {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: QueueConnection,
    private readonly markers: readonly Marker[],
  ) {}

  start(): void {
    const beat = (): void => {
      // A beat that fails is followed by the next one, or by the one of the next connection
      this.beat().catch(() => undefined);
    };
    // Also at each reconnection: a Redis that was restarted has forgotten that anybody lives
    this.connection.onReady(beat);
    this.timer = setInterval(beat, beatEveryMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async beat(): Promise<void> {
    const beats = this.markers.map(({ key, queueLimit }) =>
      this.connection.run((redis) => redis.set(key, queueLimit, 'PX', liveTtlMs)),
    );
    await Promise.all(beats);
  }
}
