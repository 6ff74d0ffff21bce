import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '#testing';
import { boardFiles, boardFolder } from '../../libs/queue-board/src/board-files.js';
import { newMaterial, newUser } from '../support/shop.js';

interface Board {
  readonly queueBoard?: { readonly url: string; readonly password: string };
}
const { queueBoard } = JSON.parse(readFileSync(join(process.env.E2E_DATA_DIR!, 'stack.json'), 'utf8')) as Board;
const { url = '', password = '' } = queueBoard ?? {};

const fetchBoard = (path: string): Promise<Response> =>
  fetch(url + path, {
    headers: { authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}` },
  });

// Skipped for a stack in containers, which publishes no internal port
(queueBoard ? describe : describe.skip)('the queue board of a running stack', () => {
  it('is for the operator only', async () => {
    expect((await fetch(url)).status).toBe(401);
    expect((await fetchBoard('')).status).toBe(200);
  });

  it('serves all files of its pages', async () => {
    const folder = join(boardFolder(), 'dist');
    const paths = boardFiles().flatMap((file) => /\/static\/.*/.exec(file.slice(folder.length)) ?? []);
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths) expect([path, (await fetchBoard(path)).status]).toEqual([path, 200]);
  });

  it('shows the completed job of a new material', async () => {
    const { material } = await newMaterial(await newUser(), { products: [{ itemId: 1, published: true }] });
    const jobs = async () => {
      const response = await fetchBoard(
        '/api/queues?activeQueue=events-material-rendering&status=completed&page=1&jobsPerPage=50',
      );
      const { queues } = (await response.json()) as { queues: { jobs: { data: { payload: object } }[] }[] };
      return queues.flatMap((queue) => queue.jobs.map(({ data }) => data.payload));
    };
    const known = { materialId: material.id, title: material.title };
    await eventually('the job', async () =>
      (await jobs()).some((payload) =>
        Object.entries(known).every(([name, value]) => payload[name as never] === value),
      ),
    );
  });
});
