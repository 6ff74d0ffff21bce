import { readdirSync } from 'node:fs';
import { projectPath } from '#config';
import { appNames, appOf, environmentOf, programFile, type AppName, redisUrlsOf, type StackFacts } from './apps.js';

const facts: StackFacts = {
  port: 3001,
  host: '127.0.0.1',
  baseUrl: 'http://localhost:3001',
  redisUrls: redisUrlsOf(
    (user) => `redis://${user}@requests`,
    (user) => `redis://${user}@jobs`,
  ),
  blobStoreUrl: 'file:///blobs',
  databaseUrlOf: (service) => `postgres://storefront_${service}@localhost/storefront`,
  imageSigningSecret: 'signing',
  keyEncryptionSecret: 'encryption',
  webhookEncryptionSecret: 'webhooks',
  demoPassword: 'secret',
  queueBoardPassword: 'operators',
};

const appsWith = (variable: string, terminal: NodeJS.ProcessEnv = {}): AppName[] =>
  appNames.filter((app) => environmentOf(app, facts, terminal)[variable] !== undefined);

describe('the environment of an app', () => {
  it('has the database URL of its role for every service, and none for the gateway', () => {
    expect(appsWith('DATABASE_URL')).toEqual(appNames.filter((app) => app !== 'gateway'));
    expect(environmentOf('social', facts, {}).DATABASE_URL).toBe('postgres://storefront_social@localhost/storefront');
  });

  it('has the URLs of its Redis users, of redis-jobs for services only', () => {
    expect(environmentOf('social', facts, {})).toMatchObject({
      REDIS_REQUESTS_URL: 'redis://social@requests',
      REDIS_JOBS_URL: 'redis://social@jobs',
    });
    expect(appsWith('REDIS_JOBS_URL')).toEqual(appNames.filter((app) => app !== 'gateway'));
  });

  it('has only the secrets that the app needs', () => {
    expect(appsWith('KEY_ENCRYPTION_SECRET')).toEqual(['accounts']);
    expect(appsWith('IMAGE_SIGNING_SECRET')).toEqual(['catalog', 'gateway']);
    expect(appsWith('DEMO_ACCOUNT')).toEqual(['gateway']);
    for (const name of ['QUEUE_BOARD_PASSWORD', 'QUEUE_BOARD_PASSWORD_FILE'])
      expect(appsWith('QUEUE_BOARD_PASSWORD', { [name]: 'x' })).toEqual(['activity']);
    expect(appsWith('QUEUE_BOARD_PASSWORD_FILE', { QUEUE_BOARD_PASSWORD_FILE: 'x' })).toEqual([]);
    for (const name of ['OIDC_PROVIDERS', 'OIDC_PROVIDERS_FILE', 'SMTP_URL', 'SMTP_URL_FILE'])
      expect(appsWith(name, { [name]: 'x' })).toEqual(['accounts']);
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY_FILE', 'AWS_SESSION_TOKEN'])
      expect(appsWith(name, { [name]: 'x' })).toEqual(['material-rendering', 'gateway']);
  });

  it('has the blob store if the app uses it', () => {
    expect(appsWith('BLOB_STORE_URL')).toEqual(['material-rendering', 'gateway']);
  });

  it('omits variables of the supervisor, also as files', () => {
    const terminal = {
      DATABASE_URL: 'postgres://owner',
      DATABASE_ROLES_SECRET_FILE: '/secret',
      IMAGE_SIGNING_SECRET: 'x',
    };
    expect(appsWith('DATABASE_ROLES_SECRET_FILE', terminal)).toEqual([]);
    expect(environmentOf('gateway', facts, terminal).DATABASE_URL).toBeUndefined();
    expect(environmentOf('gateway', facts, terminal).IMAGE_SIGNING_SECRET).toBe('signing');
    expect(environmentOf('social', facts, terminal).IMAGE_SIGNING_SECRET).toBeUndefined();
  });

  it('has a separate internal port, never that of the terminal', () => {
    expect(appsWith('INTERNAL_PORT', { INTERNAL_PORT: '9464' })).toEqual([]);
    expect(environmentOf('social', { ...facts, internalPort: 9467 }, { INTERNAL_PORT: '9464' }).INTERNAL_PORT).toBe(
      '9467',
    );
  });

  it('has the configured internal host', () => {
    expect(appsWith('INTERNAL_HOST')).toEqual([]);
    expect(environmentOf('activity', { ...facts, internalHost: '127.0.0.1' }, {}).INTERNAL_HOST).toBe('127.0.0.1');
  });

  it('sets MALLOC_ARENA_MAX unless the terminal does', () => {
    expect(environmentOf('material-rendering', facts, {}).MALLOC_ARENA_MAX).toBe('2');
    expect(environmentOf('material-rendering', facts, { MALLOC_ARENA_MAX: '8' }).MALLOC_ARENA_MAX).toBe('8');
  });

  it('includes the settings of the terminal', () => {
    const environment = environmentOf('catalog', facts, { TIME_ZONE: 'Asia/Tokyo', LOG_LEVEL: 'debug' });
    expect(environment).toMatchObject({ TIME_ZONE: 'Asia/Tokyo', LOG_LEVEL: 'debug', LOG_FORMAT: 'pretty' });
  });
});

describe('the process of an app', () => {
  it('is identified by its command line, bundled or not', () => {
    for (const app of appNames) {
      expect(appOf(`node\0--enable-source-maps\0${programFile(app)}\0`)).toBe(app);
      expect(appOf(`node\0${projectPath('dist/apps', app, 'src/main.js')}\0`)).toBe(app);
    }
  });

  it('is not another program of the stack', () => {
    const others = [
      programFile('stack'),
      programFile('tasks'),
      'dist/apps/material-rendering/src/children/decode.child.js',
    ];
    expect(others.map((file) => appOf(`node\0${file}\0`))).toEqual([undefined, undefined, undefined]);
  });

  it('has a bundle for each app', async () => {
    const { programs } = await import('../../bundle.mjs');
    const folders = readdirSync(projectPath('apps'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const names = folders.map(({ name }) => name);
    expect(Object.keys(programs).sort()).toEqual([...names, 'stack', 'tasks'].sort());
  });
});
