import { QueueKeys as JobKeys } from 'bullmq';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { z } from 'zod';
import { projectPath, readEnvironment } from '#config';
import { type Message, serviceNames, services } from '#contracts';
import { roleOf } from '#persistence';
import { decodeProgram, renderTextProgram } from '../../../apps/material-rendering/src/children/child-programs.js';
import { defaultPrefix, queueName } from '../../../libs/events/src/event-queue.js';
import { QueueKeys } from '../../../libs/request-queue/src/wire/keys.js';
import { readArguments } from '../../../apps/operator/src/command-line/arguments.js';
import { redisUsers, usersFile } from '../../dev-stack/redis/redis-users.mjs';
import { settingsOf, settingsOfServer } from '../settings-table.js';
import { type Manifest, readOverlay } from './overlay.js';
import { apps as running } from '../../bundle.mjs';

const apps = Object.keys(running).sort();
const shapes: Readonly<Record<string, z.ZodObject>> = settingsOfServer;
const { accounts, gateway } = settingsOfServer;
/** Valid values of secret settings. */
const secretValues: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://role:password@postgres/storefront',
  DATABASE_ROLES_SECRET: 'a secret that is long enough for a key',
  REDIS_REQUESTS_URL: 'redis://app:password@redis-requests:6379',
  REDIS_JOBS_URL: 'redis://app:password@redis-jobs:6379',
  IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
  KEY_ENCRYPTION_SECRET: 'a secret that is long enough for a key',
  WEBHOOK_ENCRYPTION_SECRET: 'a secret that is long enough for a key',
  QUEUE_BOARD_PASSWORD: 'a password that is long enough for a key',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
};
const internalPort = 9464;

const textOf = (...path: string[]) => readFileSync(projectPath(...path), 'utf8');
const podsOf = ({ spec }: Manifest): Record<string, any> => (spec.jobTemplate?.spec ?? spec).template;
const podOf = (workload: Manifest): Record<string, any> => podsOf(workload).spec;
const programOf = (workload: Manifest): string =>
  /^dist\/programs\/([a-z-]+)\.js$/.exec(podOf(workload).containers[0].command[1])![1]!;

const workloads = ['Deployment', 'StatefulSet', 'Job', 'CronJob'];

const mebibytes = (quantity: string): number => Number.parseInt(quantity) * (quantity.endsWith('Gi') ? 1_024 : 1);
/** Reads a number of megabytes in a text: `400 MB`. */
const megabytesIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)![1]);

describe.each(['local', 'production'])('the manifests for %s', (name) => {
  const { objects, settings, secrets } = readOverlay(projectPath('k8s/overlays', name));
  const of = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
  const named = (kind: string, its: string) => of(kind).find(({ metadata }) => metadata.name === its)!;
  const deployments = of('Deployment');

  /** Returns the literal variables of a container, without those with a reference. */
  function environmentOf(workload: Manifest): Record<string, string> {
    const { env = [], envFrom = [] } = podOf(workload).containers[0];
    const maps = envFrom.map(({ configMapRef }: any) => settings.get(configMapRef.name)!);
    const written = env.filter(({ value }: any) => value !== undefined);
    return Object.assign({}, ...maps, Object.fromEntries(written.map((it: any) => [it.name, it.value])));
  }

  /**
   * Returns the environment with values for secrets. Fails for a setting that the shape does not
   * have.
   */
  function given(environment: Record<string, string>, { shape }: z.ZodObject): Record<string, string> {
    const values = Object.entries(environment).map(([setting, value]) => {
      if (setting in shape) return [setting, value] as const;
      const target = setting.replace(/_FILE$/, '');
      expect(Object.keys(shape)).toContain(target);
      return [target, secretValues[target]!] as const;
    });
    return Object.fromEntries(values);
  }

  /** Returns the paths of secret files in a container, without CA certificates. */
  function secretFilesOf(workload: Manifest): string[] {
    const { containers, volumes } = podOf(workload);
    const paths: string[] = volumes.flatMap(({ name: volume, secret }: any) => {
      if (!secret) return [];
      const keys = secrets.get(secret.secretName) ?? [];
      const items = secret.items ?? keys.map((key) => ({ key, path: key }));
      const { mountPath } = containers[0].volumeMounts.find((mount: any) => mount.name === volume);
      // The PostgreSQL operator creates this secret
      const isThere = ({ key }: any) => secret.secretName === 'postgres-ca' || keys.includes(key);
      return items.filter(isThere).map(({ path }: any) => posix.join(mountPath, path));
    });
    return paths.filter((path) => !path.endsWith('/ca.crt')).sort();
  }

  const filesOf = (environment: Record<string, string>): string[] =>
    Object.keys(environment)
      .filter((setting) => setting.endsWith('_FILE'))
      .map((setting) => environment[setting]!)
      .sort();

  it.each(['requests', 'jobs'] as const)('restart the Redis of %s when its grants change', (server) => {
    const users = [...redisUsers[server], 'autoscaler'];
    const grants = usersFile(server, Object.fromEntries(users.map((user) => [user, ''])));
    const hash = createHash('sha256').update(grants).digest('hex').slice(0, 16);
    const { annotations } = podsOf(named('StatefulSet', `redis-${server}`)).metadata;
    expect(annotations).toEqual({ 'storefront/redis-users': hash });
  });

  it('run exactly the apps', () => {
    expect([...new Set(deployments.map(programOf))].sort()).toEqual(apps);
    const roles = deployments.map(environmentOf).flatMap(({ RENDERING_ROLES = [] }) => RENDERING_ROLES);
    expect(roles.sort()).toEqual(['requests', 'workers']);
  });

  describe.each(deployments.map((it) => [it.metadata.name, it] as const))('%s', (_, deployment) => {
    const shape = shapes[programOf(deployment)]!;
    const environment = environmentOf(deployment);

    it('has all required settings, no unknown ones, and valid values', () => {
      expect(() => readEnvironment(shape, given(environment, shape))).not.toThrow();
    });

    it('mounts exactly the secret files that its settings name', () => {
      expect(secretFilesOf(deployment)).toEqual(filesOf(environment));
    });

    it('has probes on the internal port', () => {
      const [app] = podOf(deployment).containers;
      expect(app.ports).toContainEqual({ name: 'internal', containerPort: internalPort });
      expect(Number(environment.INTERNAL_PORT)).toBe(internalPort);
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
        expect(app[probe].httpGet).toEqual({
          path: expect.stringMatching(/^\/health\/(live|ready)$/),
          port: 'internal',
        });
    });

    it('has time to shut down, and starts its replacement first', () => {
      const exitAfterMs = /exitAfterMs = ([\d_]+)/.exec(textOf('libs/observability/src/lifecycle.ts'))![1]!;
      const graceMs = podOf(deployment).terminationGracePeriodSeconds * 1_000;
      expect(graceMs).toBeGreaterThan(Number(exitAfterMs.replaceAll('_', '')));
      expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    });

    it('is selected by its labels, and may have one unavailable pod', () => {
      const { labels } = deployment.spec.template.metadata;
      expect(labels).toMatchObject(deployment.spec.selector.matchLabels);
      const { spec } = named('PodDisruptionBudget', deployment.metadata.name);
      expect(spec).toMatchObject({ maxUnavailable: 1, selector: deployment.spec.selector });
    });
  });

  describe.each(of('CronJob').map((it) => [it.metadata.name, it] as const))('the command %s', (command, cronJob) => {
    const shape = z.object(settingsOf.operator);
    const environment = environmentOf(cronJob);
    const [container] = podOf(cronJob).containers;

    it('is suspended until an overlay sets a schedule', () => {
      expect(cronJob.spec.suspend).toBe(true);
    });

    it('has access to all stores by settings of the operator, and to no other secret', () => {
      expect(() => readEnvironment(shape, given(environment, shape))).not.toThrow();
      const stores = ['DATABASE_URL_FILE', 'REDIS_JOBS_URL_FILE', 'BLOB_STORE_URL'];
      expect(Object.keys(environment)).toEqual(expect.arrayContaining(stores));
      expect(secretFilesOf(cronJob)).toEqual(filesOf(environment));
    });

    it('writes to a new folder on the backup volume', () => {
      const volume = {
        name: 'backups',
        persistentVolumeClaim: { claimName: named('PersistentVolumeClaim', 'backups').metadata.name },
      };
      expect(podOf(cronJob).volumes).toContainEqual(volume);
      expect(container.volumeMounts).toContainEqual({ name: 'backups', mountPath: '/backups' });
      if (command === 'operator') return;
      const [node, program, ...words] = container.command;
      expect([node, program]).toEqual(['node', 'dist/programs/operator.js']);
      expect(readArguments(words)).toMatchObject({ kind: 'run', flags: { folder: '/backups/$(JOB)' } });
      expect(container.env).toContainEqual({
        name: 'JOB',
        valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-name']" } },
      });
    });
  });

  it('mount the CA of the database with each database URL in production only', () => {
    const owners = of(...workloads).filter((it) => 'DATABASE_URL_FILE' in environmentOf(it));
    const mounts = owners.map((it) => podOf(it).containers[0].volumeMounts.map(({ mountPath }: any) => mountPath));
    expect(mounts.length).toBeGreaterThan(5);
    const isSeen = name === 'production';
    for (const paths of mounts) expect(paths.includes('/run/secrets/database-ca')).toBe(isSeen);
  });

  it('reserve memory for all children of renderers, and disk for copies of bucket objects', () => {
    const [decoder, writer] = [decodeProgram, renderTextProgram].map(({ memoryBytes }) => memoryBytes / 1024 / 1024);
    const copies = megabytesIn(textOf('docs/blob-store.md'), /needs (\d{3}) MB there/);
    const needed: Readonly<Record<string, readonly [app: number, sandbox: number]>> = {
      requests: [460, 100 + 2 * decoder! + writer!],
      workers: [350, 100 + decoder!],
    };
    for (const drawing of deployments.filter((it) => programOf(it) === 'material-rendering')) {
      const { RENDERING_ROLES = '', BLOB_STORE_URL } = environmentOf(drawing);
      const { containers, initContainers, volumes } = podOf(drawing);
      const [app, sandbox] = needed[RENDERING_ROLES]!;
      expect(mebibytes(containers[0].resources.limits.memory)).toBeGreaterThanOrEqual(app);
      expect(mebibytes(initContainers[0].resources.limits.memory)).toBeGreaterThanOrEqual(sandbox);
      const tmp = volumes.find((volume: any) => volume.name === 'tmp').emptyDir;
      // A volume in memory would count towards the memory limit
      expect(tmp).not.toHaveProperty('medium');
      if (!BLOB_STORE_URL!.startsWith('s3:')) continue;
      expect(mebibytes(tmp.sizeLimit)).toBeGreaterThanOrEqual(copies);
      expect(mebibytes(containers[0].resources.requests['ephemeral-storage'])).toBeGreaterThanOrEqual(copies);
    }
  });

  it('decode uploads in a container without secrets, blobs and processes of the app', () => {
    for (const deployment of deployments) {
      const { containers, initContainers = [], shareProcessNamespace, volumes } = podOf(deployment);
      expect(shareProcessNamespace).toBeUndefined();
      expect(initContainers).toHaveLength(programOf(deployment) === 'material-rendering' ? 1 : 0);
      for (const sandbox of initContainers) {
        expect(sandbox).toMatchObject({ restartPolicy: 'Always', command: ['node', 'dist/programs/sandbox.js'] });
        expect(sandbox.env).toEqual([{ name: 'SANDBOX_FOLDER', value: environmentOf(deployment).SANDBOX_FOLDER }]);
        expect(sandbox).not.toHaveProperty('envFrom');
        expect(sandbox.volumeMounts.map(({ name: volume }: any) => volume)).toEqual(['sandbox-tmp', 'sandbox']);
        for (const { name: mounted } of sandbox.volumeMounts)
          expect(volumes.find((volume: any) => volume.name === mounted)).toHaveProperty('emptyDir');
        expect(containers[0].volumeMounts).toContainEqual({
          name: 'sandbox',
          mountPath: '/run/sandbox',
          readOnly: true,
        });
        expect(sandbox.securityContext).toEqual({
          runAsUser: 10_002,
          runAsGroup: 10_002,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it.each(of(...workloads).map((it) => [it.metadata.name, it] as const))(
    '%s has no unneeded privileges',
    (_, workload) => {
      const pod = podOf(workload);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(pod.serviceAccountName).toMatch(/./);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.containers).toHaveLength(1);
      expect(pod.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod.containers[0].resources.limits.memory).toMatch(/^\d+[MG]i$/);
    },
  );

  it('route to the port of the gateway', () => {
    const port = gateway.shape.PORT.parse(undefined);
    const [app] = podOf(named('Deployment', 'gateway')).containers;
    expect(app.ports).toContainEqual({ name: 'http', containerPort: port });
    expect(named('Service', 'gateway').spec).toMatchObject({
      selector: named('Deployment', 'gateway').spec.selector.matchLabels,
      ports: [{ port, targetPort: 'http' }],
    });
  });

  describe('the network', () => {
    const policies = of('NetworkPolicy').map(({ spec }) => spec);
    const pods = [
      ...of(...workloads).map((workload) => [workload.metadata.name, podsOf(workload).metadata.labels]),
      ...of('Cluster').map(({ metadata, spec }) => [metadata.name, spec.inheritedMetadata.labels]),
    ] as [string, Record<string, string>][];

    const selects = ({ matchLabels = {}, matchExpressions = [] }: any, labels: Record<string, string>) =>
      Object.entries(matchLabels).every(([label, value]) => labels[label] === value) &&
      matchExpressions.every(({ key, operator, values }: any) => operator === 'In' && values.includes(labels[key]));

    /** Returns the allowed targets (`to`) or sources (`from`) of a pod, as `peer:port`. */
    function allowed(labels: Record<string, string>, word: 'to' | 'from'): Set<string> {
      const rules = policies
        .filter(({ podSelector }) => selects(podSelector, labels))
        .flatMap((policy) => (word === 'to' ? policy.egress : policy.ingress) ?? []);
      const peersOf = ({ podSelector, namespaceSelector, ipBlock }: any): string[] => {
        if (namespaceSelector) return [namespaceSelector.matchLabels['kubernetes.io/metadata.name']];
        if (ipBlock) return [ipBlock.except.includes('169.254.0.0/16') ? 'internet' : ipBlock.cidr];
        return pods.filter(([, its]) => selects(podSelector, its)).map(([pod]) => pod);
      };
      const all = rules.flatMap((rule) =>
        (rule[word]?.flatMap(peersOf) ?? ['anywhere']).flatMap((peer: string) =>
          rule.ports.map(({ port }: any) => `${peer}:${port}`),
        ),
      );
      return new Set(all);
    }

    const allowedEgress = pods.flatMap(([pod, labels]) =>
      [...allowed(labels, 'to')].map((peer) => `${pod} -> ${peer}`),
    );
    const allowedIngress = pods.flatMap(([pod, labels]) =>
      [...allowed(labels, 'from')].map((peer) => `${peer.split(':')[0]} -> ${pod}:${peer.split(':')[1]}`),
    );

    it('denies all traffic by default', () => {
      expect(policies).toContainEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
      for (const { policyTypes, ingress, egress } of policies)
        if (ingress ?? egress)
          expect(policyTypes).toEqual([...(ingress ? ['Ingress'] : []), ...(egress ? ['Egress'] : [])]);
    });

    it('allows each app exactly the targets of its settings', () => {
      const toStores = deployments.flatMap((deployment) => {
        const app = deployment.metadata.name;
        const { shape } = shapes[programOf(deployment)]!;
        const environment = environmentOf(deployment);
        return [
          ...('DATABASE_URL' in shape ? [`${app} -> postgres:5432`] : []),
          ...('REDIS_REQUESTS_URL' in shape ? [`${app} -> redis-requests:6379`] : []),
          ...('REDIS_JOBS_URL' in shape ? [`${app} -> redis-jobs:6379`] : []),
          ...(environment.BLOB_STORE_URL?.startsWith('s3:') ? [`${app} -> internet:443`] : []),
          // Identity providers
          ...('OIDC_PROVIDERS' in shape ? [`${app} -> internet:443`] : []),
          ...('SMTP_URL' in shape ? [`${app} -> internet:465`, `${app} -> internet:587`] : []),
          ...('WEBHOOK_ALLOWED_HOSTS' in shape ? [80, 443, 1024].map((port) => `${app} -> internet:${port}`) : []),
          // Textures by URL
          ...(environment.RENDERING_ROLES === 'requests' ? [`${app} -> internet:80`, `${app} -> internet:443`] : []),
        ];
      });
      const toOwn = of('CronJob').flatMap((cronJob) => {
        const command = cronJob.metadata.name;
        const { REDIS_REQUESTS_URL_FILE: requests, BLOB_STORE_URL: blobs } = environmentOf(cronJob);
        return [
          ...[`${command} -> postgres:5432`, `${command} -> redis-jobs:6379`],
          ...(requests === undefined ? [] : [`${command} -> redis-requests:6379`]),
          ...(blobs?.startsWith('s3:') ? [`${command} -> internet:443`] : []),
        ];
      });
      const others = {
        local: ['migrate -> postgres:5432', 'seed -> redis-requests:6379', 'seed -> gateway:3000'],
        production: [
          ...['migrate -> postgres:5432', 'nginx-ingress -> gateway:3000'],
          ...deployments.map(({ metadata }) => `monitoring -> ${metadata.name}:${internalPort}`),
          ...['keda -> redis-requests:6379', 'keda -> redis-jobs:6379'],
          ...['postgres -> postgres:5432', 'postgres -> postgres:8000', 'monitoring -> postgres:9187'],
          ...['cnpg-system -> postgres:5432', 'cnpg-system -> postgres:8000'],
          ...['postgres -> anywhere:443', 'postgres -> anywhere:6443'],
        ],
      }[name]!;
      const connections = [...new Set([...toStores, ...toOwn, ...others])].sort();
      const isPod = (peer: string) => pods.some(([pod]) => pod === peer.split(':')[0]);
      // Source and target must allow exactly these connections; DNS is allowed for all pods
      expect(allowedEgress.filter((way) => !way.includes(' -> kube-system:')).sort()).toEqual(
        connections.filter((way) => isPod(way.split(' -> ')[0]!)),
      );
      expect(allowedIngress.sort()).toEqual(connections.filter((way) => isPod(way.split(' -> ')[1]!)));
    });
  });

  it('give each app its own Redis user', () => {
    const secretOf = (workload: Manifest): unknown =>
      podOf(workload).volumes.find((volume: any) => volume.name === 'redis').secret.secretName;
    for (const deployment of deployments) expect(secretOf(deployment)).toBe(`redis-${programOf(deployment)}`);
    for (const cronJob of of('CronJob')) expect(secretOf(cronJob)).toBe('redis-operator');
    for (const server of ['requests', 'jobs'] as const) {
      expect(secrets.get(`redis-${server}`)).toEqual(['users.conf']);
      for (const user of redisUsers[server]) expect(secrets.get(`redis-${user}`)).toContain(`${server}-url`);
    }
  });

  it('have one autoscaler per deployment in production, and none locally', () => {
    const scaled = of('HorizontalPodAutoscaler', 'ScaledObject').map(({ spec }) => spec.scaleTargetRef.name);
    const all = deployments.map(({ metadata }) => metadata.name).sort();
    expect(scaled.sort()).toEqual(name === 'local' ? [] : all);
  });
});

describe('production', () => {
  const { objects } = readOverlay(projectPath('k8s/overlays/production'));
  const of = (kind: string) => objects.filter((object) => object.kind === kind);

  it('scales by existing queue lists', () => {
    const lists = of('ScaledObject').flatMap(({ metadata, spec }) =>
      spec.triggers
        .filter(({ type }: any) => type === 'redis')
        .map(({ metadata: trigger, authenticationRef }: any) => {
          expect(trigger.address.split('.')[0]).toBe(authenticationRef.name);
          expect(trigger.username).toBe('autoscaler');
          return [metadata.name, authenticationRef.name, trigger.listName];
        }),
    );
    const keys = new QueueKeys();
    const waiting = (set: string) => new JobKeys(defaultPrefix).toKey(queueName('material-rendering'), set);
    const requests = serviceNames.flatMap((service) => {
      const deployment = service === 'material-rendering' ? 'material-rendering-requests' : service;
      const hasSlow = Object.values<Message>(services[service]).some(({ lane }) => lane === 'slow');
      const lanes = hasSlow ? (['usual', 'slow'] as const) : (['usual'] as const);
      return lanes.map((lane) => [deployment, 'redis-requests', keys.requests(service, lane)]);
    });
    const jobs = ['prioritized', 'wait'].map((set) => ['material-rendering-workers', 'redis-jobs', waiting(set)]);
    expect(lists.sort()).toEqual([...requests, ...jobs].sort());
  });

  it('connects to Redis by TLS, with its CA mounted everywhere', () => {
    const urls = of('ExternalSecret')
      .flatMap(({ spec }): string[] => Object.values(spec.target?.template?.data ?? {}))
      .filter((value) => value.includes('@redis-'));
    expect(urls).toHaveLength(redisUsers.requests.length + redisUsers.jobs.length);
    for (const url of urls) expect(url).toMatch(/^rediss:.*:6379\?sslrootcert=\/run\/secrets\/redis-ca\/ca\.crt$/);
    for (const workload of [...of('Deployment'), ...of('CronJob')])
      expect(podOf(workload).containers[0].volumeMounts).toContainEqual({
        name: 'redis-ca',
        mountPath: '/run/secrets/redis-ca',
        readOnly: true,
      });
    const [names] = of('Certificate').flatMap(({ spec }) => (spec.dnsNames ? [spec.dnsNames] : []));
    const hosts = of('ScaledObject').flatMap(({ spec }) =>
      spec.triggers.flatMap(({ metadata }: any) => metadata.address?.split(':')[0] ?? []),
    );
    expect(names).toEqual(expect.arrayContaining([...hosts, 'redis-requests', 'redis-jobs']));
  });

  describe.each(['requests', 'jobs'] as const)('the users of the Redis of %s', (server) => {
    const external = (name: string) => of('ExternalSecret').find(({ metadata }) => metadata.name === name)!.spec;
    const keyOf = (user: string) => user.replaceAll('-', '_');
    const users = [...redisUsers[server], 'autoscaler'];

    it('have the grants of the table and different passwords', () => {
      const hashes = users.map((user) => [user, `{{ .${keyOf(user)} | sha256sum }}`]);
      const { target, data } = external(`redis-${server}`);
      expect(target.template.data['users.conf'].trimEnd()).toBe(usersFile(server, Object.fromEntries(hashes)));
      expect(data).toEqual(
        users.map((user) => ({
          secretKey: keyOf(user),
          remoteRef: { key: `storefront/redis-${server}`, property: user },
        })),
      );
    });

    it.each(redisUsers[server])('%s has its own password', (user) => {
      const { target, data } = external(`redis-${user}`);
      expect(target.template.data[`${server}-url`]).toContain(`//${user}:{{ .${server} }}@redis-${server}:6379`);
      const remoteRef = { key: `storefront/redis-${server}`, property: user };
      expect(data).toContainEqual({ secretKey: server, remoteRef });
    });
  });

  it('has PostgreSQL connections for the maximum number of processes', () => {
    const processes = of('ScaledObject').reduce((sum, { spec }) => sum + spec.maxReplicaCount + 1, 0);
    const each = accounts.shape.DATABASE_POOL_SIZE.parse(undefined) + 1;
    const [cluster] = of('Cluster');
    // 20 are reserved for the operator, the migration and administrators
    expect(processes * each).toBeLessThanOrEqual(Number(cluster!.spec.postgresql.parameters.max_connections) - 20);
  });

  it('creates the roles of the services and their URLs', () => {
    const [cluster] = of('Cluster');
    const roles = cluster!.spec.managed.roles.map((role: any) => [role.name, role.passwordSecret.name]);
    expect(roles).toEqual([...serviceNames].sort().map((service) => [roleOf(service), `database-${service}`]));
    for (const service of serviceNames) {
      const { data } = of('ExternalSecret').find(({ metadata }) => metadata.name === `database-${service}`)!.spec.target
        .template;
      expect(data.username).toBe(roleOf(service));
      expect(data.url).toContain(`//${roleOf(service)}:`);
    }
  });
});
