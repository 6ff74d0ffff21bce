import type { End } from '../../tools/dev-stack/apps/app-process.js';
import type { Replicas } from '../../tools/dev-stack/settings.js';

/** One process of an app, under the same supervision as in the stack: when it ends, it is started again. */
export interface FleetProcess {
  /** `catalog#1`; material-rendering is two groups, which answer (`images#1`) and which draw (`workers#1`). */
  readonly name: string;
  /** Without the number: `catalog`. */
  readonly group: string;
  /** Of the present process; another one after each start. Undefined between two. */
  readonly pid: number | undefined;
  /** Sends a signal that ends the process, to it alone and not to its children. @returns how it ended, once it has */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<End>;
  /** Stops it as a machine without time for it does (SIGSTOP), until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Resolves when the present process, or the next one between two, says that it is ready. */
  ready(): Promise<void>;
}

/** One server that the apps use. Nobody starts it again but the caller. */
export interface FleetServer {
  readonly name: 'postgres' | 'requests' | 'jobs';
  /** Where the server itself is, for looking at what it keeps: of PostgreSQL the database as the owner of all schemas. */
  readonly url: string;
  /** Of the present process; another one after each start. */
  readonly pid: number;
  /** Resolves when it has ended. PostgreSQL: SIGINT closes all sessions at once, SIGTERM waits for them. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void>;
  /** On the same port, from what is left in its folder. Resolves when it answers. */
  start(): Promise<void>;
  /** What stands between the apps and the server: present when the fleet was started with `proxied`. */
  readonly network?: Network;
}

/** A way between the apps and a server that can be disturbed. */
export interface Network {
  /** Each chunk later by this many milliseconds, and a share (0 to 1) of the chunks held back for another second. */
  disturb(disturbance: { readonly delayMs: number; readonly stalled: number }): void;
  /** Present connections stay open and carry nothing any more; new ones work: half-open. */
  swallow(): void;
  /** As `swallow`, for answers only: requests still arrive. */
  swallowAnswers(): void;
  /** Ends all present connections. */
  cut(): void;
  /** Undisturbed again; what was swallowed is ended. */
  heal(): void;
}

export interface FleetOptions {
  /** Of material-rendering: of each of its two groups. */
  readonly replicas: Replicas;
  /** Puts a `Network` before each server. */
  readonly proxied?: boolean;
  /** Where blobs are kept; a folder of the fleet when absent. */
  readonly blobFolder?: string;
  /** Where log lines go; a file of the fleet, removed with it, when absent. */
  readonly logFile?: string;
  /** For all apps. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** The started apps with replicas of each, their servers, and a hand on every one of them. In a folder of its own. */
export interface Fleet {
  /** One for each replica of the gateway; clients spread over them as behind a load balancer. The first is BASE_URL. */
  readonly baseUrls: readonly string[];
  readonly processes: readonly FleetProcess[];
  readonly servers: Readonly<Record<FleetServer['name'], FleetServer>>;
  readonly blobFolder: string;
  /** Where all lines that the processes have logged are: `catalog#1 {...}`. */
  readonly logFile: string;
  /** DATA_DIR for the operator command. */
  readonly dataDir: string;
  /** What must stand in no log; whoever makes more adds it. */
  readonly secrets: Set<string>;
  /**
   * Ends everything and removes the folder. The same happens, by force, when the starting process has gone.
   *
   * @throws Error with the lines of the logs that hold secrets
   */
  stop(): Promise<void>;
}
