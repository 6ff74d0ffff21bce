import { type Lane } from '#contracts';

/**
 * Maximum size of the payload of a request in bytes. Larger data is stored in the blob store, and
 * the payload contains its key.
 */
export const maxRequestBytes = 256 * 1024;
/**
 * Maximum size of the body of a reply in bytes. A created or updated material with 100 products,
 * each with a description of 10,000 characters at up to 6 bytes, has 6.5 MB.
 */
export const maxReplyBytes = 8 * 1024 * 1024;

/** Header of a request with the entity tag of the reply that the caller has cached. */
export const ifNoneMatch = 'ifNoneMatch';
/** Header of a request whose caller reads `validity`; callers of the previous version do not. */
export const wantsValidity = 'wantsValidity';
/**
 * Header of a reply that the caller may use again after the service has confirmed it. Its value is
 * for `replies.validate` of the service.
 */
export const validityHeader = 'validity';

/** TTL of a reply list, whose process may have ended. */
export const replyListTtlMs = 60_000;
/** TTL of a live marker after its last renewal. */
export const liveMarkerTtlMs = 10_000;
/** Interval of the renewals of a live marker. */
export const liveMarkerIntervalMs = 2_500;

/**
 * Names of all keys and channels of the request queue. A hash tag puts the keys of a service into
 * one cluster slot. The grants of Redis' users contain the same names:
 * tools/dev-stack/redis/redis-users.mjs.
 */
export class QueueKeys {
  constructor(private readonly prefix = '') {}

  /** Returns the key of a lane's list of waiting requests. */
  requests(service: string, lane: Lane = 'usual'): string {
    return `${this.of(service, lane)}q`;
  }

  /**
   * Returns the key of a lane's live marker: its value is the queue limit; it exists while a
   * replica serves the lane.
   */
  live(service: string, lane: Lane = 'usual'): string {
    return `${this.of(service, lane)}live`;
  }

  /** Returns the key of a process's reply list. @param id 16 hex digits */
  replies(app: string, id: string): string {
    return `${this.prefix}rq:{${app}-${id}}:r`;
  }

  /** Returns true for keys of reply lists. A frame must not direct a reply to any other key. */
  isReplyList(key: string): boolean {
    return key.startsWith(this.prefix) && /^rq:\{[a-z-]+-[0-9a-f]{16}\}:r$/.test(key.slice(this.prefix.length));
  }

  /**
   * Returns the name of the channel of broadcasts. The name contains the number of the logical
   * database, because Redis shares channels between logical databases: stacks on one server must
   * not receive each other's broadcasts.
   */
  broadcasts(database: number): string {
    return `${this.prefix}rq:broadcasts:${database}`;
  }

  private of(service: string, lane: Lane): string {
    return `${this.prefix}rq:{${service}}:${lane === 'usual' ? '' : `${lane}:`}`;
  }
}
