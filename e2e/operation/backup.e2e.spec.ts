import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath, projectRoot } from '#config';
import { startStack } from '../support/own-stack.js';
import { api, dataDir, eventually, itemsByName, newMaterial, newUsers } from '../support/shop.js';

/** Runs the operator command for the stack of a folder. Returns its exit code and output. */
function runOperator(folder: string, ...words: string[]) {
  const env = { ...process.env, DATA_DIR: folder };
  const command = [projectPath('tools/operator.mjs'), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: projectRoot, env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe('a backup of a running shop', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-e2e-backup-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('restores the shop in another stack', async () => {
    const [creator, fan] = await newUsers(2);
    const items = await itemsByName(creator!.apiKey);
    const made = await newMaterial(creator!, { products: [{ itemId: items['sticker'].id, published: true }] });
    const { id } = made.products[0];
    await api('POST', `/products/${id}/favorites`, { token: fan!.apiKey, body: { count: 3 } });

    const [backup, restored] = [join(folder, 'backup'), join(folder, 'data')];
    expect(runOperator(dataDir, 'backup', 'create', backup)).toMatchObject({ status: 0 });
    await mkdir(restored, { mode: 0o700 });
    await copyFile(join(dataDir, 'secrets.json'), join(restored, 'secrets.json'));
    expect(runOperator(restored, 'backup', 'restore', backup)).toMatchObject({ status: 0 });

    const { origin, stop } = await startStack(restored, ['--no-demo']);
    try {
      const request = async (path: string) => {
        const headers = { authorization: `Bearer ${fan!.apiKey}` };
        return (await (await fetch(`${origin}/api/v1${path}`, { headers })).json()) as any;
      };
      expect((await request(`/materials/${made.material.id}`)).material).toMatchObject({ id: made.material.id });
      expect((await request(`/products/${id}/favorites`)).favorites).toMatchObject([
        { user: { id: fan!.id }, count: 3 },
      ]);
      const { pathname, search } = new URL((await request(`/products/${id}`)).product.sampleImageUrl);
      // The image is rendered again from the texture, because backups contain no images
      const image = await eventually(
        () => fetch(origin + pathname + search),
        ({ status }) => status === 200,
      );
      expect(image.headers.get('content-type')).toBe('image/webp');
      expect(runOperator(restored, 'verify')).toMatchObject({ status: 0 });
    } finally {
      await stop();
    }
  });
});
