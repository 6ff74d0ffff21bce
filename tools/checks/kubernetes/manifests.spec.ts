import { QueueKeys as JobKeys } from 'bullmq';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { z } from 'zod';
import { projectPath, readEnvironment } from '#config';
import { type Message, serviceNames, services } from '#contracts';
import { roleOf } from '#persistence';
import { decodeProgram, writeProgram } from '../../../apps/material-rendering/src/children/child-programs.js';
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
/** What the files of secrets may hold, by setting. */
const held: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://role:password@postgres/storefront',
  DATABASE_ROLES_SECRET: 'a secret that is long enough for a key',
  REDIS_REQUESTS_URL: 'redis://app:password@redis-requests:6379',
  REDIS_JOBS_URL: 'redis://app:password@redis-jobs:6379',
  IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
  KEY_ENCRYPTION_SECRET: 'a secret that is long enough for a key',
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
/** A number that stands elsewhere: `900 * 1024 * 1024`, `400 MB`. */
const megabytesIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)![1]);

describe.each(['local', 'production'])('the manifests for %s', (name) => {
  const { objects, settings, secrets } = readOverlay(projectPath('k8s/overlays', name));
  const of = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
  const named = (kind: string, its: string) => of(kind).find(({ metadata }) => metadata.name === its)!;
  const deployments = of('Deployment');

  /** The environment of a container, as it is written. */
  function environmentOf(workload: Manifest): Record<string, string> {
    const { env = [], envFrom = [] } = podOf(workload).containers[0];
    const maps = envFrom.map(({ configMapRef }: any) => settings.get(configMapRef.name)!);
    const written = env.filter(({ value }: any) => value !== undefined);
    return Object.assign({}, ...maps, Object.fromEntries(written.map((it: any) => [it.name, it.value])));
  }

  /** The same with what files of secrets may hold, each setting known to the shape. */
  function given(environment: Record<string, string>, { shape }: z.ZodObject): Record<string, string> {
    const values = Object.entries(environment).map(([setting, value]) => {
      if (setting in shape) return [setting, value] as const;
      const target = setting.replace(/_FILE$/, '');
      expect(Object.keys(shape)).toContain(target);
      return [target, held[target]!] as const;
    });
    return Object.fromEntries(values);
  }

  /** The files of secrets that a container sees, by their paths. */
  function secretFilesOf(workload: Manifest): string[] {
    const { containers, volumes } = podOf(workload);
    const paths: string[] = volumes.flatMap(({ name: volume, secret }: any) => {
      if (!secret) return [];
      const keys = secrets.get(secret.secretName) ?? [];
      const items = secret.items ?? keys.map((key) => ({ key, path: key }));
      const { mountPath } = containers[0].volumeMounts.find((mount: any) => mount.name === volume);
      // The operator of PostgreSQL makes it
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

  it.each(['requests', 'jobs'] as const)('start the Redis of %s anew with other grants', (server) => {
    const users = [...redisUsers[server], 'autoscaler'];
    const grants = usersFile(server, Object.fromEntries(users.map((user) => [user, ''])));
    const hash = createHash('sha256').update(grants).digest('hex').slice(0, 16);
    const { annotations } = podsOf(named('StatefulSet', `redis-${server}`)).metadata;
    expect(annotations).toEqual({ 'storefront/redis-users': hash });
  });

  it('run every app, and nothing else', () => {
    expect([...new Set(deployments.map(programOf))].sort()).toEqual(apps);
    const roles = deployments.map(environmentOf).flatMap(({ RENDERING_ROLES = [] }) => RENDERING_ROLES);
    expect(roles.sort()).toEqual(['requests', 'workers']);
  });

  describe.each(deployments.map((it) => [it.metadata.name, it] as const))('%s', (_, deployment) => {
    const shape = shapes[programOf(deployment)]!;
    const environment = environmentOf(deployment);

    it('is given settings that the app has, all that it needs, and values that it takes', () => {
      expect(() => readEnvironment(shape, given(environment, shape))).not.toThrow();
    });

    it('finds every file of a secret that it is told of, and sees no other', () => {
      expect(secretFilesOf(deployment)).toEqual(filesOf(environment));
    });

    it('is asked at the port where it answers', () => {
      const [app] = podOf(deployment).containers;
      expect(app.ports).toContainEqual({ name: 'internal', containerPort: internalPort });
      expect(Number(environment.INTERNAL_PORT)).toBe(internalPort);
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
        expect(app[probe].httpGet).toEqual({
          path: expect.stringMatching(/^\/health\/(live|ready)$/),
          port: 'internal',
        });
    });

    it('has time to end, and is replaced before it does', () => {
      const exitAfterMs = /exitAfterMs = ([\d_]+)/.exec(textOf('libs/observability/src/lifecycle.ts'))![1]!;
      const graceMs = podOf(deployment).terminationGracePeriodSeconds * 1_000;
      expect(graceMs).toBeGreaterThan(Number(exitAfterMs.replaceAll('_', '')));
      expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    });

    it('is selected by its own name, and may lose one pod at a time', () => {
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

    it('is run by people, until an overlay says when', () => {
      expect(cronJob.spec.suspend).toBe(true);
    });

    it('is given all stores, by settings that the operator has, and sees no other secret', () => {
      expect(() => readEnvironment(shape, given(environment, shape))).not.toThrow();
      const stores = ['DATABASE_URL_FILE', 'REDIS_JOBS_URL_FILE', 'BLOB_STORE_URL'];
      expect(Object.keys(environment)).toEqual(expect.arrayContaining(stores));
      expect(secretFilesOf(cronJob)).toEqual(filesOf(environment));
    });

    it('writes to the volume of backups, in a folder of its own', () => {
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

  it('show who vouches for the database, wherever its address is', () => {
    const owners = of(...workloads).filter((it) => 'DATABASE_URL_FILE' in environmentOf(it));
    const mounts = owners.map((it) => podOf(it).containers[0].volumeMounts.map(({ mountPath }: any) => mountPath));
    expect(mounts.length).toBeGreaterThan(5);
    const isSeen = name === 'production';
    for (const paths of mounts) expect(paths.includes('/run/secrets/database-ca')).toBe(isSeen);
  });

  it('leave room for all children of those who draw, and for copies of what lies in a bucket', () => {
    const [decoder, writer] = [decodeProgram, writeProgram].map(({ memoryBytes }) => memoryBytes / 1024 / 1024);
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
      // In memory it would count towards the limit
      expect(tmp).not.toHaveProperty('medium');
      if (!BLOB_STORE_URL!.startsWith('s3:')) continue;
      expect(mebibytes(tmp.sizeLimit)).toBeGreaterThanOrEqual(copies);
      expect(mebibytes(containers[0].resources.requests['ephemeral-storage'])).toBeGreaterThanOrEqual(copies);
    }
  });

  it('open what clients sent in a container without secrets, blobs and processes of the app', () => {
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
    '%s has no rights that it does not need',
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

  it('lead the gateway where it listens', () => {
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

    /** Where the policies of a pod let it go (`to`), or who may come to it (`from`), as `peer:port`. */
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

    const wentTo = pods.flatMap(([pod, labels]) => [...allowed(labels, 'to')].map((peer) => `${pod} -> ${peer}`));
    const cameFrom = pods.flatMap(([pod, labels]) =>
      [...allowed(labels, 'from')].map((peer) => `${peer.split(':')[0]} -> ${pod}:${peer.split(':')[1]}`),
    );

    it('lets nothing through that no policy names', () => {
      expect(policies).toContainEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
      for (const { policyTypes, ingress, egress } of policies)
        if (ingress ?? egress)
          expect(policyTypes).toEqual([...(ingress ? ['Ingress'] : []), ...(egress ? ['Egress'] : [])]);
    });

    it('leads each app to what its settings name, and nobody else anywhere', () => {
      const toStores = deployments.flatMap((deployment) => {
        const app = deployment.metadata.name;
        const { shape } = shapes[programOf(deployment)]!;
        const environment = environmentOf(deployment);
        return [
          ...('DATABASE_URL' in shape ? [`${app} -> postgres:5432`] : []),
          ...('REDIS_REQUESTS_URL' in shape ? [`${app} -> redis-requests:6379`] : []),
          ...('REDIS_JOBS_URL' in shape ? [`${app} -> redis-jobs:6379`] : []),
          ...(environment.BLOB_STORE_URL?.startsWith('s3:') ? [`${app} -> internet:443`] : []),
          // Sign-in at other providers, and images by their address
          ...('OIDC_PROVIDERS' in shape ? [`${app} -> internet:443`] : []),
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
      const ways = [...new Set([...toStores, ...toOwn, ...others])].sort();
      const isPod = (peer: string) => pods.some(([pod]) => pod === peer.split(':')[0]);
      // Both ends must allow a way, and allow no other; everybody may ask for names
      expect(wentTo.filter((way) => !way.includes(' -> kube-system:')).sort()).toEqual(
        ways.filter((way) => isPod(way.split(' -> ')[0]!)),
      );
      expect(cameFrom.sort()).toEqual(ways.filter((way) => isPod(way.split(' -> ')[1]!)));
    });
  });

  it('let each app into Redis as its own user', () => {
    const secretOf = (workload: Manifest): unknown =>
      podOf(workload).volumes.find((volume: any) => volume.name === 'redis').secret.secretName;
    for (const deployment of deployments) expect(secretOf(deployment)).toBe(`redis-${programOf(deployment)}`);
    for (const cronJob of of('CronJob')) expect(secretOf(cronJob)).toBe('redis-operator');
    for (const server of ['requests', 'jobs'] as const) {
      expect(secrets.get(`redis-${server}`)).toEqual(['users.conf']);
      for (const user of redisUsers[server]) expect(secrets.get(`redis-${user}`)).toContain(`${server}-url`);
    }
  });

  it('scale each app by one hand only', () => {
    const scaled = of('HorizontalPodAutoscaler', 'ScaledObject').map(({ spec }) => spec.scaleTargetRef.name);
    const all = deployments.map(({ metadata }) => metadata.name).sort();
    expect(scaled.sort()).toEqual(name === 'local' ? [] : all);
  });
});

describe('production', () => {
  const { objects } = readOverlay(projectPath('k8s/overlays/production'));
  const of = (kind: string) => objects.filter((object) => object.kind === kind);

  it('watches the lists that the queues have', () => {
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

  it('reaches Redis by TLS, and shows everybody who vouches for it', () => {
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

    it('have the grants of the table, and passwords of their own', () => {
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

    it.each(redisUsers[server])('%s is given its own password', (user) => {
      const { target, data } = external(`redis-${user}`);
      expect(target.template.data[`${server}-url`]).toContain(`//${user}:{{ .${server} }}@redis-${server}:6379`);
      const remoteRef = { key: `storefront/redis-${server}`, property: user };
      expect(data).toContainEqual({ secretKey: server, remoteRef });
    });
  });

  it('has connections to PostgreSQL for as many processes as there may be', () => {
    const processes = of('ScaledObject').reduce((sum, { spec }) => sum + spec.maxReplicaCount + 1, 0);
    const each = accounts.shape.DATABASE_POOL_SIZE.parse(undefined) + 1;
    const [cluster] = of('Cluster');
    // Some are the operator's, the migration's and an administrator's
    expect(processes * each).toBeLessThanOrEqual(Number(cluster!.spec.postgresql.parameters.max_connections) - 20);
  });

  it('makes the roles of the services, and gives each the URL of its own', () => {
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
