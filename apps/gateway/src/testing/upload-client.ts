import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// Not with fetch, which takes five times the processor time for 20 MB
const script = (url: string, bytes: number, count: number) => `
  import { request } from 'node:http';
  import { json } from 'node:stream/consumers';
  const texture = 'data:image/png;base64,' + Buffer.alloc(${bytes}, 7).toString('base64');
  const body = Buffer.from('{"title":"x","texture":"' + texture + '"}', 'latin1');
  const headers = { authorization: 'Bearer writer', 'content-type': 'application/json', 'content-length': body.length };
  const upload = () =>
    new Promise((resolve, reject) => {
      const sent = request('${url}/api/v1/materials', { method: 'POST', headers }, async (response) =>
        resolve({ status: response.statusCode, body: await json(response) }),
      );
      sent.once('error', reject).end(body);
    });
  console.log(JSON.stringify(await Promise.all(Array.from({ length: ${count} }, upload))));`;

interface UploadResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/**
 * Uploads `count` images of `bytes` bytes concurrently, from another process, whose work does not
 * slow down the gateway.
 */
export async function upload(url: string, bytes: number, count = 1): Promise<UploadResponse[]> {
  const parameters = ['--input-type=module', '-e', script(url, bytes, count)];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  return JSON.parse(stdout) as UploadResponse[];
}
