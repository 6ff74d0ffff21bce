import { type Registry } from 'prom-client';
import { type EventsFor, type ServiceName } from '#contracts';
import { type QueueLog } from '#request-queue';
import { type ConsumerTable } from './consumer-table.js';

/** The table is optional only for a service without subscriptions. */
type Consumption<Service extends ServiceName> = [EventsFor<Service>] extends [never]
  ? { readonly consumers?: ConsumerTable<Service> }
  : { readonly consumers: ConsumerTable<Service> };

export interface RelayOptions {
  readonly service: ServiceName;
  readonly databaseUrl: string;
  /** Redis of the jobs: append-only file, `noeviction`. */
  readonly jobsUrl: string;
  /** Redis of the requests, where broadcasts are published. */
  readonly requestsUrl: string;
  /**
   * Prefix of all keys in the Redis of the jobs, so that several stacks can share it. Default
   * `storefront`.
   */
  readonly prefix?: string;
  /** Interval of reading the outbox without being woken. Default 2000. */
  readonly sweepMs?: number;
  /** Lease of a claimed row. The timeout of publishing is a third of it. Default 15,000. */
  readonly leaseMs?: number;
  /** Rows per claim. Default 100. */
  readonly batch?: number;
  /** Deliveries of an event before its job stays in the failed set. Default 8. */
  readonly attempts?: number;
  /**
   * Delay after the first failed attempt, doubled each time. Default 5000: the 8th attempt is 10
   * minutes after the first.
   */
  readonly backoffMs?: number;
  readonly registry?: Registry;
}

export interface ConsumerOptions {
  readonly service: ServiceName;
  readonly jobsUrl: string;
  readonly prefix?: string;
  /** Concurrent jobs of one process, each of one event or a batch. Default 4. */
  readonly concurrency?: number;
  /**
   * Lock of a job, renewed four times within this time while the process runs. An expired lock is
   * detected after at most a sixth of this time, and another process takes the job. Default 12,000.
   */
  readonly lockMs?: number;
  /**
   * Maximum number of expired locks of a job (crash, blocked event loop) before it fails. Default
   * 5.
   */
  readonly maxStalled?: number;
  /**
   * Grace period of running consumers at shutdown before their signal is aborted. Default 10,000.
   */
  readonly drainMs?: number;
  /** Receives a line for each consumed and failed job, and for the first postponement of a job. */
  readonly log?: QueueLog;
  readonly registry?: Registry;
}

export type EventsOptions<Service extends ServiceName> = RelayOptions &
  ConsumerOptions &
  Consumption<Service> & {
    readonly service: Service;
    /**
     * False in a process that does not read the outbox, because other replicas do. Default true.
     */
    readonly relay?: boolean;
    /** False in a process that only serves requests. The table is checked anyway. Default true. */
    readonly consume?: boolean;
  };
