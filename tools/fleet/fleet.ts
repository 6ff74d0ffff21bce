import type { Replicas } from '../dev-stack/settings.js';

/** One process of an app, under the same supervision as in production: when it ends unasked, it is started again. */
export interface FleetProcess {
  /** `catalog#1`; workers and requests of material-rendering are two groups: `workers#1`, `pictures#1`. */
  readonly name: string;
  /** Of the present process; another one after each start. Undefined between two. */
  readonly pid: number | undefined;
  /** Sends a signal to the process alone, not to its children. @returns the exit code or signal, once it has ended */
  signal(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** Resolves when it has started anew and says that it is ready. */
  ready(): Promise<void>;
}

/** One server that the apps use. */
export interface FleetServer {
  readonly name: 'postgres' | 'requests' | 'jobs';
  /** Where the server itself is, for looking at what it keeps. */
  readonly url: string;
  readonly pid: number;
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void>;
  /** On the same port, from what is left in its folder. */
  start(): Promise<void>;
  /** What stands between the apps and the server: present when the fleet was started with `proxied`. */
  readonly network?: Network;
}

/** A way between the apps and a server that can be disturbed. */
export interface Network {
  /** Each chunk later by this many milliseconds, and a share (0 to 1) of the connections' chunks held back for a second. */
  disturb(disturbance: { readonly delayMs: number; readonly stalled: number }): void;
  /** Present connections stay open and carry nothing any more; new ones work: half-open. */
  swallow(): void;
  /** Ends all present connections. */
  cut(): void;
  heal(): void;
}

export interface FleetOptions {
  readonly replicas: Replicas;
  /** Puts a `Network` before each server. */
  readonly proxied?: boolean;
  /** Where blobs are kept; a folder of the fleet when absent. */
  readonly blobFolder?: string;
  /** For all apps. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** The started apps with replicas of each, their servers, and a hand on every one of them. In a folder of its own. */
export interface Fleet {
  /** One for each replica of the gateway; clients spread over them as behind a load balancer. */
  readonly baseUrls: readonly string[];
  readonly processes: readonly FleetProcess[];
  readonly servers: Readonly<Record<FleetServer['name'], FleetServer>>;
  readonly blobFolder: string;
  /** Where all lines that the processes have logged are. */
  readonly logFile: string;
  /** DATA_DIR for the operator command. */
  readonly dataDir: string;
  stop(): Promise<void>;
}
