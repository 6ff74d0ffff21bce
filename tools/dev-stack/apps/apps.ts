import { projectPath } from '#config';
import { serverNames, type ServerName, type ServiceName } from '#contracts';
import { inColour } from '../terminal/console.js';

export type AppName = ServerName;
export const appNames = serverNames;

const ofStack = { stack: 'main', tasks: 'tasks' } as const;
type Program = AppName | 'operator' | keyof typeof ofStack;

/** PROGRAMS=files: as the compiler wrote them, so that a profile tells packages and files apart. */
const compiled = (program: Program): string =>
  program === 'stack' || program === 'tasks' ? `tools/dev-stack/${ofStack[program]}.js` : `apps/${program}/src/main.js`;

const bundled = (program: Program): string => `programs/${program}.js`;

/** What a process is started with: one file of each program, which tools/bundle.mjs makes. */
export const programFile = (program: Program): string =>
  projectPath('dist', (process.env.PROGRAMS === 'files' ? compiled : bundled)(program));

/** The app that the command line of a process names. */
export const appOf = (command: string): AppName | undefined =>
  appNames.find((app) => [bundled(app), compiled(app)].some((file) => command.includes(`/dist/${file}`)));

export const isService = (app: AppName): app is ServiceName => app !== 'gateway';

/** Of the apps: each has a user of its own, unless the server was given. */
export interface RedisUrls {
  readonly requests: Readonly<Record<AppName, string>>;
  readonly jobs: Readonly<Record<ServiceName, string>>;
}

type UrlOf = (app: AppName) => string;

const urlsOf = <App extends AppName>(apps: readonly App[], urlOf: UrlOf): Record<App, string> =>
  Object.fromEntries(apps.map((app) => [app, urlOf(app)])) as Record<App, string>;

export const redisUrlsOf = (requests: UrlOf, jobs: UrlOf): RedisUrls => ({
  requests: urlsOf(appNames, requests),
  jobs: urlsOf(appNames.filter(isService), jobs),
});

/** What the apps of one stack are given; URLs with passwords and secrets among it. */
export interface StackFacts {
  readonly port: number;
  /** Where this process is asked how it is; nowhere when absent. */
  readonly internalPort?: number;
  /** All addresses when absent. */
  readonly internalHost?: string;
  readonly host: string;
  readonly baseUrl: string;
  readonly redisUrls: RedisUrls;
  readonly blobStoreUrl: string;
  readonly databaseUrlOf: (service: ServiceName) => string;
  readonly imageSigningSecret: string;
  readonly keyEncryptionSecret: string;
  /** Of the user demo. */
  readonly demoPassword: string;
  /** There is no queue board when absent. */
  readonly queueBoardPassword?: string;
}

/** Who shows the queue board. */
export const boardApp: AppName = 'activity';

/** Variables that an app only gets when it needs them, whatever the terminal had. */
const owned = [
  'DATABASE_URL',
  'DATABASE_ROLES_SECRET',
  'REDIS_REQUESTS_URL',
  'REDIS_JOBS_URL',
  'BLOB_STORE_URL',
  'BASE_URL',
  'PORT',
  'HOST',
  'DATA_DIR',
  'IMAGE_SIGNING_SECRET',
  'KEY_ENCRYPTION_SECRET',
  'DEMO_ACCOUNT',
  'INTERNAL_PORT',
  'QUEUE_BOARD_PASSWORD',
] as const;
type Owned = (typeof owned)[number];

function given(app: AppName, facts: StackFacts): Partial<Record<Owned | 'INTERNAL_HOST', string>> {
  const { internalPort, internalHost, queueBoardPassword } = facts;
  const shared = {
    REDIS_REQUESTS_URL: facts.redisUrls.requests[app],
    BASE_URL: facts.baseUrl,
    ...(internalPort !== undefined && { INTERNAL_PORT: String(internalPort) }),
    ...(internalHost !== undefined && { INTERNAL_HOST: internalHost }),
  };
  const files = { BLOB_STORE_URL: facts.blobStoreUrl };
  const signing = { IMAGE_SIGNING_SECRET: facts.imageSigningSecret };
  if (!isService(app)) {
    const DEMO_ACCOUNT = `demo:${facts.demoPassword}`;
    return { ...shared, ...files, ...signing, DEMO_ACCOUNT, PORT: String(facts.port), HOST: facts.host };
  }
  const service = { ...shared, REDIS_JOBS_URL: facts.redisUrls.jobs[app], DATABASE_URL: facts.databaseUrlOf(app) };
  if (app === 'accounts') return { ...service, KEY_ENCRYPTION_SECRET: facts.keyEncryptionSecret };
  if (app === boardApp && queueBoardPassword !== undefined)
    return { ...service, QUEUE_BOARD_PASSWORD: queueBoardPassword };
  if (app === 'catalog') return { ...service, ...signing };
  return app === 'material-rendering' ? { ...service, ...files } : service;
}

const withBlobs: readonly AppName[] = ['material-rendering', 'gateway'];

/** A setting that holds secrets of some apps, when an operator has set it. */
const setFor: Readonly<Record<string, readonly AppName[]>> = {
  OIDC_PROVIDERS: ['accounts'],
  AWS_ACCESS_KEY_ID: withBlobs,
  AWS_SECRET_ACCESS_KEY: withBlobs,
  AWS_SESSION_TOKEN: withBlobs,
};

/** Whether a variable of the terminal is an app's business. */
const isFor = (app: AppName, variable: string): boolean => {
  const name = variable.replace(/_FILE$/, '');
  return !owned.includes(name as Owned) && (setFor[name]?.includes(app) ?? true);
};

/** At `info` the lines of the requests push the address and the key of the greeting off the screen. */
export const defaultLogLevel = 'warn';

/**
 * glibc gives every thread a heap of its own that keeps what was freed: a process that draws images holds 40 MB less
 * with two of them, at the same speed. Read at the start of a process only, so it cannot set this itself.
 */
const mallocArenas = '2';

/**
 * The environment of an app: what the terminal has (TIME_ZONE, IMAGE_SIZES, TEXTURE_ALLOWED_HOSTS, LOG_LEVEL, ...),
 * without the addresses and secrets that are not its business, and with those that are.
 */
export function environmentOf(app: AppName, facts: StackFacts, terminal: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const rest = Object.entries(terminal).filter(([name]) => isFor(app, name));
  const colour = inColour ? { FORCE_COLOR: '1' } : {};
  const usual = { LOG_FORMAT: 'pretty', LOG_LEVEL: defaultLogLevel, MALLOC_ARENA_MAX: mallocArenas, ...colour };
  return { ...usual, ...Object.fromEntries(rest), ...given(app, facts) };
}
