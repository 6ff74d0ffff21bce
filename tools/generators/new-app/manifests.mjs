import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import { isPair, isScalar, parseAllDocuments, visit } from 'yaml';
import { UnexpectedTree } from './changes.mjs';

/** Service whose manifests are copied, because they have no specific setting. */
const model = 'social';

/** Imports the table of Redis users with the new table of apps, which is not on disk yet. */
async function newRedisUsers(changes) {
  const folder = mkdtempSync(join(tmpdir(), 'new-app-'));
  const [users, table] = ['tools/dev-stack/redis/redis-users.mjs', 'libs/contracts/src/apps.mjs'];
  try {
    for (const path of [users, table]) mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(changes.root, users), join(folder, users));
    writeFileSync(join(folder, table), changes.read(table));
    return await import(join(folder, users));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function nameOf(node) {
  if (isPair(node)) return node.key.value;
  if (isScalar(node)) return node.value;
  return node.get('name') ?? node.get('secretKey') ?? node.getIn(['metadata', 'name']);
}

/** Returns the items of a list or map. @throws UnexpectedTree if the path has none */
function itemsIn(document, ...path) {
  const items = document.getIn(path)?.items;
  if (items === undefined) throw new UnexpectedTree(`a manifest has no ${path.join('.')}`);
  return items;
}

/** Adds the app to Compose, Kubernetes and the alerts. */
export async function editManifests(changes, { __name__: name }) {
  const snake = name.replaceAll('-', '_');
  // Database roles have underscores instead of hyphens
  const mention = new RegExp(`(storefront_)?${model}`, 'g');
  const renamed = (text) => text.replaceAll(mention, (_, role) => (role ? `${role}${snake}` : name));
  const copyOf = (node) => {
    const copy = node.clone();
    visit(copy, {
      Scalar(_, scalar) {
        if (typeof scalar.value === 'string') scalar.value = renamed(scalar.value);
        // Removes comments with memory measurements, which are those of the copied service
        if (/\d MB /.test(scalar.commentBefore ?? '')) scalar.commentBefore = undefined;
      },
    });
    return copy;
  };
  /** Inserts a copy after an item of the model: a service, a secret, a role. */
  const insertCopy = (items, original) => {
    const at = items.findIndex((node) => nameOf(node) === original);
    if (at < 0) throw new UnexpectedTree(`there is no ${original} to copy in a list of manifests`);
    items.splice(at + 1, 0, copyOf(items[at]));
  };

  changes.editYaml('docker-compose.yml', ([compose]) => {
    insertCopy(itemsIn(compose, 'services'), model);
    for (const secret of ['database-url', 'redis-jobs-url', 'redis-requests-url'])
      insertCopy(itemsIn(compose, 'secrets'), `${secret}-${model}`);
  });

  const base = parseAllDocuments(changes.read(`k8s/base/apps/${model}.yaml`)).map(copyOf);
  changes.add(`k8s/base/apps/${name}.yaml`, base.join(''));
  changes.editYaml('k8s/base/kustomization.yaml', ([all]) =>
    insertCopy(itemsIn(all, 'resources'), `apps/${model}.yaml`),
  );
  changes.editYaml('k8s/overlays/local/kustomization.yaml', ([all]) => {
    for (const secret of ['database', 'redis']) insertCopy(itemsIn(all, 'secretGenerator'), `${secret}-${model}`);
  });

  const production = 'k8s/overlays/production';
  let processes = 0;
  changes.editYaml(`${production}/autoscaling.yaml`, (documents) => {
    insertCopy(documents, model);
    for (const it of documents) processes += (it.getIn(['spec', 'maxReplicaCount']) ?? -1) + 1;
  });
  changes.editYaml(`${production}/database.yaml`, ([cluster]) => {
    const roles = itemsIn(cluster, 'spec', 'managed', 'roles');
    insertCopy(roles, `storefront_${model}`);
    roles.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
    // Ten connections per pool, one per outbox, and 20 for others: manifests.spec.ts checks the sum
    const path = ['spec', 'postgresql', 'parameters', 'max_connections'];
    const needed = Math.ceil((processes * 11 + 20) / 50) * 50;
    if (Number(cluster.getIn(path)) < needed) cluster.setIn(path, String(needed));
  });
  changes.editYaml(`${production}/alerts.yaml`, ([rule]) => {
    const terms = {
      StorefrontAppMissing: `storefront_build_info{app="${name}"}`,
      StorefrontNoConsumer: `event_queue_jobs{service="${name}", state="waiting"}`,
    };
    const alerts = itemsIn(rule, 'spec', 'groups').flatMap((group) => itemsIn(group, 'rules'));
    for (const [alert, term] of Object.entries(terms)) {
      const found = alerts.find((it) => it.get('alert') === alert);
      if (!found) throw new UnexpectedTree(`there is no alert ${alert} in ${production}/alerts.yaml`);
      found.set('expr', `${found.get('expr').trimEnd()}\nor absent(${term})\n`);
    }
  });

  const { redisUsers, usersFile } = await newRedisUsers(changes);
  changes.editYaml(`${production}/secrets.yaml`, (documents) => {
    for (const secret of ['redis', 'database']) insertCopy(documents, `${secret}-${model}`);
    for (const server of ['requests', 'jobs']) {
      const secret = documents.find((it) => nameOf(it) === `redis-${server}`);
      const users = [...redisUsers[server], 'autoscaler'];
      const hashes = users.map((user) => [user, `{{ .${user.replaceAll('-', '_')} | sha256sum }}`]);
      const template = ['spec', 'target', 'template', 'data', 'users.conf'];
      secret.setIn(template, `${usersFile(server, Object.fromEntries(hashes))}\n`);
      const passwords = itemsIn(secret, 'spec', 'data');
      insertCopy(passwords, model);
      passwords.find((it) => nameOf(it) === name).set('secretKey', snake);
      const place = (it) => users.indexOf(it.getIn(['remoteRef', 'property']));
      passwords.sort((one, other) => place(one) - place(other));
    }
  });
  for (const server of ['requests', 'jobs']) {
    const users = [...redisUsers[server], 'autoscaler'];
    const grants = usersFile(server, Object.fromEntries(users.map((user) => [user, ''])));
    const hash = createHash('sha256').update(grants).digest('hex').slice(0, 16);
    const annotation = /(storefront\/redis-users: ')[0-9a-f]*'/g;
    changes.replace(`k8s/base/redis-${server}.yaml`, annotation, (_, before) => `${before}${hash}'`);
  }
}
