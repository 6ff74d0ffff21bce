import { projectPath } from '#config';
import { serverNames, type ServerName, type ServiceName } from '#contracts';
import { inColor } from '../terminal/console.js';

export type AppName = ServerName;
export const appNames = serverNames;

const stackPrograms = { stack: 'main', tasks: 'tasks' } as const;
type Program = AppName | 'operator' | keyof typeof stackPrograms;

/**
 * Returns the unbundled file of a program, used with PROGRAMS=files, so that profiles show packages
 * and files.
 */
const unbundledFile = (program: Program): string =>
  program === 'stack' || program === 'tasks'
    ? `tools/dev-stack/${stackPrograms[program]}.js`
    : `apps/${program}/src/main.js`;

const bundleFile = (program: Program): string => `programs/${program}.js`;

/** Returns the file of a program: its bundle of tools/bundle.mjs, or the unbundled file. */
export const programFile = (program: Program): string =>
  projectPath('dist', (process.env.PROGRAMS === 'files' ? unbundledFile : bundleFile)(program));

/** Returns the app that a command line runs, or undefined. */
export const appOf = (command: string): AppName | undefined =>
  appNames.find((app) => [bundleFile(app), unbundledFile(app)].some((file) => command.includes(`/dist/${file}`)));

export const isService = (app: AppName): app is ServiceName => app !== 'gateway';

/** Redis URLs by app. Each app has its own user, unless the server is external. */
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

/** Configuration of the apps of a stack, including URLs with passwords, and secrets. */
export interface StackFacts {
  readonly port: number;
  /** Port of health checks and metrics; none if undefined. */
  readonly internalPort?: number;
  /** All addresses if undefined. */
  readonly internalHost?: string;
  readonly host: string;
  readonly baseUrl: string;
  readonly redisUrls: RedisUrls;
  readonly blobStoreUrl: string;
  readonly databaseUrlOf: (service: ServiceName) => string;
  readonly imageSigningSecret: string;
  readonly keyEncryptionSecret: string;
  readonly webhookEncryptionSecret: string;
  /** Password of the user demo. */
  readonly demoPassword: string;
  /** The queue board is disabled if undefined. */
  readonly queueBoardPassword?: string;
}

/** App that serves the queue board. */
export const boardApp: AppName = 'activity';

/**
 * Variables that no app inherits from the terminal. `ownVariablesOf` sets those that an app needs;
 * no app needs `DATABASE_ROLES_SECRET` and `DATA_DIR`.
 */
const neverInherited = [
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
  'WEBHOOK_ENCRYPTION_SECRET',
  'DEMO_ACCOUNT',
  'INTERNAL_PORT',
  'QUEUE_BOARD_PASSWORD',
] as const;
type OwnVariable = (typeof neverInherited)[number];

/** Returns the variables that are set for an app. */
function ownVariablesOf(app: AppName, facts: StackFacts): Partial<Record<OwnVariable | 'INTERNAL_HOST', string>> {
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
  if (app === 'webhooks') return { ...service, WEBHOOK_ENCRYPTION_SECRET: facts.webhookEncryptionSecret };
  if (app === boardApp && queueBoardPassword !== undefined)
    return { ...service, QUEUE_BOARD_PASSWORD: queueBoardPassword };
  if (app === 'catalog') return { ...service, ...signing };
  return app === 'material-rendering' ? { ...service, ...files } : service;
}

const blobReaders: readonly AppName[] = ['material-rendering', 'gateway'];

/** Variables with secrets that only these apps inherit from the terminal. */
const secretReaders: Readonly<Record<string, readonly AppName[]>> = {
  OIDC_PROVIDERS: ['accounts'],
  SMTP_URL: ['accounts'],
  AWS_ACCESS_KEY_ID: blobReaders,
  AWS_SECRET_ACCESS_KEY: blobReaders,
  AWS_SESSION_TOKEN: blobReaders,
};

/** Returns whether an app inherits a variable of the terminal. */
const inherits = (app: AppName, variable: string): boolean => {
  const name = variable.replace(/_FILE$/, '');
  return !neverInherited.includes(name as OwnVariable) && (secretReaders[name]?.includes(app) ?? true);
};

/**
 * At `info`, request lines would scroll the address and key of the startup message off the screen.
 */
export const defaultLogLevel = 'warn';

/**
 * Number of glibc arenas. By default each thread gets one and retains freed memory: a rendering
 * process uses 40 MB less with two, at the same speed. The variable is read at process start only.
 */
const mallocArenas = '2';

/**
 * Returns the environment of an app: variables of the terminal (TIME_ZONE, IMAGE_SIZES,
 * TEXTURE_ALLOWED_HOSTS, LOG_LEVEL, ...), with the addresses and secrets of this app only.
 */
export function environmentOf(app: AppName, facts: StackFacts, terminal: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const rest = Object.entries(terminal).filter(([name]) => inherits(app, name));
  const color = inColor ? { FORCE_COLOR: '1' } : {};
  const usual = { LOG_FORMAT: 'pretty', LOG_LEVEL: defaultLogLevel, MALLOC_ARENA_MAX: mallocArenas, ...color };
  return { ...usual, ...Object.fromEntries(rest), ...ownVariablesOf(app, facts) };
}
