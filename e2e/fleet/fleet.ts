import type { End } from '../../tools/dev-stack/apps/app-process.js';
import type { Replicas } from '../../tools/dev-stack/settings.js';

/** Process of an app. It is supervised: restarted 0.5 s after each exit. */
export interface FleetProcess {
  /**
   * `catalog#1`. material-rendering has two groups: request handlers (`images#1`) and workers
   * (`workers#1`).
   */
  readonly name: string;
  /** Name without the number: `catalog`. */
  readonly group: string;
  /**
   * Id of the current process; changes with each start, undefined between an exit and the restart.
   */
  readonly pid: number | undefined;
  /**
   * Sends a signal to the process, not to its children. Resolves after its exit with the exit code,
   * or the signal that killed it.
   */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<End>;
  /** Suspends the process by SIGSTOP until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Resolves when the current process is ready; between two processes, when the next one is. */
  ready(): Promise<void>;
}

/** A server that the apps use. It is not supervised: the caller restarts it. */
export interface FleetServer {
  readonly name: 'postgres' | 'requests' | 'jobs';
  /** Direct URL of the server, for checks; for PostgreSQL as the owner of all schemas. */
  readonly url: string;
  /** Id of the current process; changes with each start. */
  readonly pid: number;
  /**
   * Resolves after the exit. PostgreSQL: SIGINT closes all sessions immediately, SIGTERM waits for
   * them.
   */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void>;
  /** Starts the server with the same port and folder. Resolves when it responds. */
  start(): Promise<void>;
  /** Proxy between apps and server; present with `proxied`. */
  readonly network?: Network;
}

/** Proxy for network faults between apps and a server. */
export interface Network {
  /** Delays each chunk by `delayMs`, and a share (0 to 1) of the chunks by another second. */
  disturb(disturbance: { readonly delayMs: number; readonly stalled: number }): void;
  /**
   * Makes current connections half-open: they stay open without transferring data. New connections
   * work.
   */
  blackhole(): void;
  /** As `blackhole`, for responses only. */
  dropResponses(): void;
  /** Closes all current connections. */
  cut(): void;
  /** Ends delays, and closes the half-open connections, because data is missing in them. */
  heal(): void;
}

export interface FleetOptions {
  /** Replicas by app; for material-rendering of each of its two groups. */
  readonly replicas: Replicas;
  /** Adds a `Network` in front of each server. */
  readonly proxied?: boolean;
  /** Folder of blobs; a folder of the fleet by default. */
  readonly blobFolder?: string;
  /** Log file; a temporary file of the fleet by default. */
  readonly logFile?: string;
  /** Further variables of all apps. They override the defaults of the fleet. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Replicas of all apps and their servers, in a temporary folder. A test can stop each of them. */
export interface Fleet {
  /**
   * URLs of the gateway replicas. Clients distribute their requests, instead of a load balancer.
   * The first URL is BASE_URL.
   */
  readonly baseUrls: readonly string[];
  /** URLs of the metrics of the gateways. */
  readonly internalUrls: readonly string[];
  readonly processes: readonly FleetProcess[];
  readonly servers: Readonly<Record<FleetServer['name'], FleetServer>>;
  readonly blobFolder: string;
  /** File with the log lines of all processes: `catalog#1 {...}`. */
  readonly logFile: string;
  /** Folder of the fleet, which the operator command needs as DATA_DIR. */
  readonly dataDir: string;
  /** Secrets that no log may contain; callers add the secrets they create. */
  readonly secrets: Set<string>;
  /**
   * Stops all processes and deletes the folder. If the starting process exits, a cleanup process
   * does the same.
   *
   * @throws Error with the log lines that contain secrets
   */
  stop(): Promise<void>;
}
