import { type Lane } from '#contracts';

/**
 * Limits of a frame, in bytes; bigger things go through the blob store and their key travels. The largest answer of the
 * API is a new material's with 100 products, each with a description of 10,000 characters at up to 6 bytes: 6.5 MB.
 */
export const maximumRequestBytes = 256 * 1024;
export const maximumReplyBytes = 8 * 1024 * 1024;

/** The header of a request that says with which entity tag its answer is known already. */
export const knownTag = 'known';

/** How long replies wait for a gateway that may be gone, and how long a service counts as alive after its last beat. */
export const replyListTtlMs = 60_000;
export const liveTtlMs = 10_000;
export const beatEveryMs = 2_500;

/**
 * The names of all keys and channels of the request queue. A hash tag makes each service one cluster slot. The grants of
 * Redis' users are made of the same names: tools/dev-stack/redis/redis-users.mjs.
 */
export class QueueKeys {
  constructor(private readonly prefix = '') {}

  /** List of waiting requests of a service. */
  requests(service: string, lane: Lane = 'usual'): string {
    return `${this.of(service, lane)}q`;
  }

  /** String with the queue limit of a lane; exists while a replica is up that serves the lane. */
  live(service: string, lane: Lane = 'usual'): string {
    return `${this.of(service, lane)}live`;
  }

  /** List of replies for one process of an app. `id` has 16 hex digits. */
  replies(app: string, id: string): string {
    return `${this.prefix}rq:{${app}-${id}}:r`;
  }

  /** False for a key that no client of ours has made: a frame must not direct a reply into somebody else's key. */
  isReplyList(key: string): boolean {
    return key.startsWith(this.prefix) && /^rq:\{[a-z-]+-[0-9a-f]{16}\}:r$/.test(key.slice(this.prefix.length));
  }

  /** Channels do not know logical databases, so the name does: stacks that share a server must not hear each other. */
  broadcasts(database: number): string {
    return `${this.prefix}rq:broadcasts:${database}`;
  }

  private of(service: string, lane: Lane): string {
    return `${this.prefix}rq:{${service}}:${lane === 'usual' ? '' : `${lane}:`}`;
  }
}
