import { type Registry } from 'prom-client';
import { type EventsFor, type ServiceName } from '#contracts';
import { type QueueLog } from '#request-queue';
import { type ConsumerTable } from './consumer-table.js';

/** The table is optional only for a service that subscribes to nothing. */
type Consumption<Service extends ServiceName> = [EventsFor<Service>] extends [never]
  ? { readonly consumers?: ConsumerTable<Service> }
  : { readonly consumers: ConsumerTable<Service> };

export interface RelayOptions {
  readonly service: ServiceName;
  readonly databaseUrl: string;
  /** Redis of the jobs: append-only file, `noeviction`. */
  readonly jobsUrl: string;
  /** Redis of the requests, where notices to everyone are published. */
  readonly requestsUrl: string;
  /** Begins every key in the Redis of the jobs, so that several stacks can share one. Default `storefront`. */
  readonly prefix?: string;
  /** How often the outbox is looked at without being woken. Default 2000. */
  readonly sweepMs?: number;
  /** How long a claimed row belongs to its relay. Default 15,000; three times what publishing may take. */
  readonly leaseMs?: number;
  /** Rows per claim. Default 100. */
  readonly batch?: number;
  /** How often an event is brought to a consumer before it is kept as failed. Default 8. */
  readonly attempts?: number;
  /** Wait after the first failed attempt; it doubles each time. Default 5000: the 8th attempt is 10 minutes after the first. */
  readonly backoffMs?: number;
  readonly registry?: Registry;
}

export interface ConsumerOptions {
  readonly service: ServiceName;
  readonly jobsUrl: string;
  readonly prefix?: string;
  /** Jobs that one process works on at the same time, each of one event or of several that travel together. Default 4. */
  readonly concurrency?: number;
  /**
   * A consumer whose process is silent for so long is started over elsewhere, at most a sixth of it later; renewed while
   * it runs, four times in it. Default 12,000.
   */
  readonly lockMs?: number;
  /** How often an event may bring its process to silence (a crash, a blocked event loop) before it is kept as failed. Default 5. */
  readonly maxStalled?: number;
  /** How long a closing process lets its consumers finish before it aborts their signal. Default 10,000. */
  readonly drainMs?: number;
  /** Gets one line for each attempt of a job. */
  readonly log?: QueueLog;
  readonly registry?: Registry;
}

export type EventsOptions<Service extends ServiceName> = RelayOptions &
  ConsumerOptions &
  Consumption<Service> & {
    readonly service: Service;
    /** False in a process that leaves the outbox to its siblings. Default true. */
    readonly relay?: boolean;
    /** False in a process that answers requests only; the table is checked all the same. Default true. */
    readonly consume?: boolean;
  };
