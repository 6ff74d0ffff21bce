import { type QueueConnection } from './connection.js';
import { beatEveryMs, liveTtlMs, type QueueKeys } from './keys.js';

/** Says every 2.5 s that a replica of the service is up and how many requests may wait for it. */
export class Heartbeat {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: QueueConnection,
    private readonly keys: QueueKeys,
    private readonly service: { readonly service: string; readonly queueLimit: number },
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
    const { service, queueLimit } = this.service;
    await this.connection.run((redis) => redis.set(this.keys.live(service), queueLimit, 'PX', liveTtlMs));
  }
}
