import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// Not by fetch, which takes five times the processor time for 20 MB
const script = (url: string, bytes: number, count: number) => `
  import { request } from 'node:http';
  import { json } from 'node:stream/consumers';
  const texture = 'data:image/png;base64,' + Buffer.alloc(${bytes}, 7).toString('base64');
  const body = Buffer.from('{"title":"x","texture":"' + texture + '"}', 'latin1');
  const headers = { authorization: 'Bearer writer', 'content-type': 'application/json', 'content-length': body.length };
  const upload = () =>
    new Promise((resolve, reject) => {
      const asked = request('${url}/api/v1/materials', { method: 'POST', headers }, async (answer) =>
        resolve({ status: answer.statusCode, body: await json(answer) }),
      );
      asked.once('error', reject).end(body);
    });
  console.log(JSON.stringify(await Promise.all(Array.from({ length: ${count} }, upload))));`;

interface UploadAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Uploads so many images of so many bytes at once, from another process, whose work is not the gateway's. */
export async function upload(url: string, bytes: number, count = 1): Promise<UploadAnswer[]> {
  const parameters = ['--input-type=module', '-e', script(url, bytes, count)];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  return JSON.parse(stdout) as UploadAnswer[];
}
