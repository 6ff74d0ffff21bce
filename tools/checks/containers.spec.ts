import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectPath } from '#config';
import { serviceNames } from '#contracts';
import { SandboxEnv } from '../../apps/material-rendering/src/children/sandbox-env.js';
import { apps } from '../bundle.mjs';
import { imageFiles, imagePrograms } from '../build/image.mjs';
import { serviceDatabaseUrl } from '#migrations';
import { deriveSecrets, provideSecrets, randomSecretNames } from '../secrets.mjs';
import { Env as Seed } from '../../apps/seed/src/env.js';
import { settingsOf } from './settings-table.js';

interface Service {
  readonly image: string;
  readonly build?: object;
  readonly command: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly profiles?: readonly string[];
  readonly restart: string;
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly deploy: { readonly resources: { readonly limits: Readonly<Record<string, unknown>> } };
  readonly stop_grace_period?: string;
  readonly [more: string]: unknown;
}

const read = (name: string): string => readFileSync(projectPath(name), 'utf8');
// No alias limit: the parser's default protects against untrusted files, and each service adds
// aliases
const compose = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};
const services = Object.entries(compose.services);

/**
 * Returns the program of a service, such as `programs/catalog` or `programs/migrate`; undefined for
 * third-party servers.
 */
function programOf({ entrypoint, command }: Service): string | undefined {
  const [node, file = ''] = entrypoint ?? command;
  return node === 'node' ? /^dist\/(programs\/[\w-]+)\.js$/.exec(file)?.[1] : undefined;
}
const ours = services.filter(([, service]) => programOf(service) !== undefined);
const others = services.filter(([, service]) => programOf(service) === undefined);
const isOnce = ({ restart }: Service): boolean => restart === 'no';
const appOf = (service: Service): string => programOf(service)!.replace('programs/', '');
const ofApps = ours.filter(([, service]) => appOf(service) in apps);
const secretsOf = ({ secrets = [] }: Service): string[] =>
  secrets.map((it) => (typeof it === 'string' ? it : it.source));

describe('docker-compose.yml', () => {
  it('runs every app, and only programs of the image, which one service builds', () => {
    expect(new Set(ofApps.map(([, service]) => appOf(service)))).toEqual(new Set(Object.keys(apps)));
    expect(ours.map(([, service]) => programOf(service)).filter((name) => !(name! in imagePrograms))).toEqual([]);
    expect(new Set(ours.map(([, { image }]) => image)).size).toBe(1);
    expect(ours.filter(([, { build }]) => build).map(([name]) => name)).toEqual(['migrate']);
  });

  it('renders new materials in separate workers', () => {
    const roles = ofApps.filter(([, it]) => appOf(it) === 'material-rendering');
    expect(roles.map(([, { environment }]) => environment!.RENDERING_ROLES)).toEqual(['requests', 'workers']);
  });

  it.each(services)('limits %s, which can write to its volumes only', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      deploy: {
        resources: { limits: { cpus: expect.any(String), memory: expect.any(String), pids: expect.any(Number) } },
      },
      logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
    });
    // Replicas need unique names and ports
    expect(service).not.toHaveProperty('container_name');
    expect(service.ports !== undefined).toBe(name === 'gateway');
    expect(service.image).toMatch(/:/);
    expect(service.image).not.toMatch(/:latest/);
    if (programOf(service) === undefined) expect(service.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    if (isOnce(service)) return;
    expect(service.restart).toBe('unless-stopped');
    expect(service.healthcheck?.test[0]).toMatch(/^CMD/);
  });

  it.each(ofApps)('gives %s existing settings and time to shut down', (_, service) => {
    const known = new Set(Object.keys(settingsOf[appOf(service)]!));
    const given = Object.keys(service.environment!).map((name) => name.replace(/_FILE$/, ''));
    expect(given.filter((name) => !known.has(name))).toEqual([]);
    // A draining process exits after 24 s at the latest
    expect(Number.parseInt(service.stop_grace_period!)).toBeGreaterThan(24);
  });

  it('gives commands existing settings', () => {
    const files = readdirSync(projectPath('apps'), { recursive: true, encoding: 'utf8' });
    const sourceOf = (app: string) =>
      files
        .filter((file) => file.startsWith(`${app}/`) && file.endsWith('.ts'))
        .map((file) => read(join('apps', file)))
        .concat(['stack-address', 'blob-store-settings'].map((file) => read(`libs/config/src/${file}.ts`)))
        .join('\n');
    for (const [, service] of ours.filter(([, it]) => isOnce(it))) {
      const source = sourceOf(appOf(service));
      const given = Object.keys(service.environment!).map((name) => name.replace(/_FILE$/, ''));
      expect(given.filter((name) => !source.includes(name))).toEqual([]);
    }
    const seed = compose.services.seed!.environment!;
    expect(Object.keys(seed).map((name) => name.replace(/_FILE$/, ''))).toEqual(Object.keys(Seed.shape));
  });

  it('mounts each secret only into services that read it', () => {
    for (const [name, service] of services) {
      const shown = (service.secrets ?? []).map((it) => `/run/secrets/${typeof it === 'string' ? it : it.target}`);
      const named = Object.values(service.environment ?? {})
        .concat(service.command)
        .flatMap((it) => /\/run\/secrets\/\S+$/.exec(String(it)) ?? []);
      expect({ name, named: named.sort() }).toEqual({ name, named: shown.sort() });
    }
    for (const [, service] of ofApps) {
      const app = appOf(service);
      const allowed = new Set([
        ...(app === 'gateway' ? [] : [`database-url-${app}`, `redis-jobs-url-${app}`]),
        ...[`redis-requests-url-${app}`, 'image-signing-secret', 'key-encryption-secret', 'queue-board-password'],
        'webhook-encryption-secret',
        ...(service.environment!.BLOB_STORE_URL === undefined ? [] : ['s3-secret-access-key']),
      ]);
      expect(secretsOf(service).filter((secret) => !allowed.has(secret))).toEqual([]);
      expect(secretsOf(service).includes('image-signing-secret')).toBe(app === 'gateway' || app === 'catalog');
      expect(secretsOf(service).includes('key-encryption-secret')).toBe(app === 'accounts');
      expect(secretsOf(service).includes('webhook-encryption-secret')).toBe(app === 'webhooks');
      expect(secretsOf(service).includes('queue-board-password')).toBe(app === 'activity');
    }
  });

  it('exposes the gateway only, without access to stores, and restricts outgoing traffic', () => {
    const on = (network: string) => services.filter(([, it]) => it.networks?.includes(network)).map(([name]) => name);
    expect(compose.networks).toMatchObject({ requests: { internal: true }, stores: { internal: true } });
    expect(on('edge')).toEqual(['gateway']);
    expect(on('stores')).not.toContain('gateway');
    expect(on('outside').sort()).toEqual(['accounts', 'material-rendering', 'webhooks']);
  });

  it('decodes uploads without access to secrets, network, blobs and processes of apps', () => {
    const { sandbox } = compose.services;
    expect(sandbox).toMatchObject({ network_mode: 'none', user: '10002:10002', volumes: ['sandbox:/run/sandbox'] });
    expect(sandbox).not.toHaveProperty('secrets');
    expect(sandbox).not.toHaveProperty('pid');
    expect(Object.keys(sandbox!.environment!).sort()).toEqual(Object.keys(SandboxEnv.shape).sort().slice(1));
    const drawing = ofApps.filter(([, it]) => appOf(it) === 'material-rendering');
    for (const [, { environment, volumes, depends_on: after }] of drawing) {
      expect(environment!.SANDBOX_FOLDER).toBe(sandbox!.environment!.SANDBOX_FOLDER);
      expect(volumes).toContain('sandbox:/run/sandbox:ro');
      expect(after!.sandbox).toEqual({ condition: 'service_healthy' });
    }
  });

  it('starts services after the migration, and the seed after a ready shop', () => {
    for (const [name, service] of ofApps.filter(([it]) => it !== 'gateway'))
      expect([name, service.depends_on!.migrate]).toEqual([name, { condition: 'service_completed_successfully' }]);
    expect(compose.services.seed!.depends_on!.gateway).toEqual({ condition: 'service_healthy' });
    const waitedFor = services.flatMap(([, { depends_on: after = {} }]) => Object.keys(after));
    expect(waitedFor.filter((name) => !(name in compose.services))).toEqual([]);
  });

  it('configures the same blob store for all services that use one', () => {
    const { environment: { BLOB_STORE_URL: url } = {} } = compose.services.gateway!;
    for (const [, { environment = {}, volumes = [] }] of ours.filter(([, it]) => it.environment?.BLOB_STORE_URL))
      expect([environment.BLOB_STORE_URL, volumes.includes('blobs:/blobs')]).toEqual([url, true]);
  });

  it('persists jobs and no requests', () => {
    const { 'redis-requests': requests, 'redis-jobs': jobs } = compose.services;
    expect(requests!.command.join(' ')).toMatch(/--save {2}--appendonly no/);
    expect(requests!.volumes).toBeUndefined();
    expect(jobs!.command.join(' ')).toMatch(/--appendonly yes --appendfsync always.*--maxmemory-policy noeviction/);
    expect(jobs!.volumes).toEqual(['redis-jobs:/data']);
    expect(others.map(([name]) => name)).toEqual(['postgres', 'redis-requests', 'redis-jobs', 's3', 's3-bucket']);
  });
});

describe('the secrets of docker-compose.yml', () => {
  let folder: string;
  beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'secrets')));
  afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

  it('are all created, and no others except the two secrets of the Redis users', () => {
    provideSecrets(folder);
    const made = readdirSync(folder);
    const used = Object.entries(compose.secrets).map(([name, { file }]) => {
      expect(file).toBe(`secrets/${name}`);
      return name;
    });
    expect(used.filter((name) => !made.includes(name))).toEqual([]);
    expect(made.filter((name) => !used.includes(name)).sort()).toEqual(['redis-jobs-secret', 'redis-requests-secret']);
    // Containers read the files as any user; the mode of the folder denies other users of the host
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of made) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o644);
  });

  it('are not changed by a second run', () => {
    provideSecrets(folder);
    const before = readFileSync(join(folder, 'database-url'), 'utf8');
    writeFileSync(join(folder, 'demo-password'), 'my own words\n');
    provideSecrets(folder);
    expect(readFileSync(join(folder, 'database-url'), 'utf8')).toBe(before);
    expect(readFileSync(join(folder, 'demo-password'), 'utf8')).toBe('my own words\n');
  });

  it('update the Redis users with the existing passwords', () => {
    provideSecrets(folder);
    const [users, url] = [join(folder, 'redis-jobs-users.conf'), join(folder, 'redis-jobs-url-catalog')];
    const [before, password] = [users, url].map((file) => readFileSync(file, 'utf8'));
    writeFileSync(users, 'user default on #of-the-version-before ~* &* +@all\n');
    expect(provideSecrets(folder)).toEqual(['redis-jobs-users.conf']);
    expect([users, url].map((file) => readFileSync(file, 'utf8'))).toEqual([before, password]);
    expect(provideSecrets(folder)).toEqual([]);
  });

  it('contain the database URL of each service with the role that migrate creates', () => {
    const made = deriveSecrets(Object.fromEntries(randomSecretNames.map((name) => [name, `the ${name}`])));
    for (const service of serviceNames)
      expect(made[`database-url-${service}`]).toBe(
        serviceDatabaseUrl('postgres://owner@postgres:5432/storefront', service, 'the database-roles-secret'),
      );
  });
});

describe('Dockerfile', () => {
  const text = read('Dockerfile');

  it('ends with a numeric non-root user and Node as the program', () => {
    expect(text.match(/^USER .*$/gm)).toEqual(['USER 10001:10001']);
    expect(text).toMatch(/^ENTRYPOINT \[\]\nCMD \["node", "dist\/programs\/gateway\.js"\]$/m);
    expect(text).toMatch(/^ARG NODE_IMAGE=node:\d+-bookworm-slim$/m);
  });

  it('has the folders that volumes are mounted on', () => {
    const mounted = ours.flatMap(([, { volumes = [] }]) => volumes.map((it) => it.split(':')[1]));
    for (const path of new Set(mounted)) expect(text).toMatch(new RegExp(`--chown=(1000[12]):\\1 ${path} ${path}\n`));
  });

  it('copies the files that the programs read', () => {
    const sources = ['apps', 'libs'].flatMap((folder) =>
      readdirSync(projectPath(folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !/\.spec\.ts$|(?:^|\/)testing\//.test(file))
        .map((file) => read(join(folder, file))),
    );
    const paths = sources.flatMap((source) =>
      [...source.matchAll(/projectPath\(((?:'[^']*'(?:, )?)+)/g)].map(([, words]) =>
        words!
          .split(/[', ]+/)
          .filter(Boolean)
          .join('/'),
      ),
    );
    expect(paths.length).toBeGreaterThan(5);
    expect(
      paths.filter(
        (path) => ![...imageFiles, 'dist', 'node_modules'].some((taken) => `${path}/`.startsWith(`${taken}/`)),
      ),
    ).toEqual([]);
    expect(imageFiles.filter((path) => !existsSync(projectPath(path)))).toEqual([]);
  });

  it('has the child programs, which are started by their path', () => {
    const found = ['apps', 'libs'].flatMap((folder) =>
      readdirSync(projectPath(folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.child.ts'))
        .map((file) => join(folder, file.replace(/\.ts$/, ''))),
    );
    expect(found.length).toBeGreaterThan(2);
    expect(found.filter((name) => !(name in imagePrograms))).toEqual([]);
  });

  it('has fonts for labels of reports and texts of icons', () => {
    const [, file] = /^ENV FONTCONFIG_FILE=\/storefront\/(.*)$/m.exec(text)!;
    expect(imageFiles).toContain(file);
    // A character without a font is a box, as wide as any other
    const script = `
      import sharp from 'sharp';
      const draw = (text) => sharp({ text: { text } }).png().toBuffer({ resolveWithObject: true });
      console.log(JSON.stringify([(await draw('iiii')).info.width, (await draw('WWWW')).info.width]));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: projectPath(),
      env: { FONTCONFIG_FILE: projectPath(file!) },
      encoding: 'utf8',
    });
    const [narrow, wide] = JSON.parse(output) as [number, number];
    expect(wide).toBeGreaterThan(2 * narrow);
  });

  it('has a build context of listed files only, without secrets and data', () => {
    const lines = read('.dockerignore').split('\n');
    expect(lines).toContain('*');
    expect(lines.filter((line) => /^!.*(?:secrets$|data|\.env)/.test(line))).toEqual([]);
  });
});
