import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns true to take a request from the server: then the fault responds, or nothing does. */
export type S3Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

const bucket = 'blobs';

/**
 * An S3 server in this process, with an empty bucket in a temporary folder. It validates
 * signatures, except for requests on the bucket itself: s3rver omits the signed slash at the end.
 * This class handles the requests that s3rver does not support (to list and to abort multipart
 * uploads), or cannot handle on this Node (listings of more than one page). It reads the files of
 * s3rver for them.
 */
export class TestS3 {
  /** Called for every request. */
  fault: S3Fault = () => false;
  /** Received requests: `PUT /blobs/some/key?partNumber=1`. */
  readonly requests: string[] = [];
  /** Maximum number of keys in a page of a listing. */
  pageLength = 1_000;

  /** Last pending write of each path. */
  private readonly writing = new Map<string, Promise<unknown>>();

  private constructor(
    readonly endpoint: string,
    private readonly folder: string,
    readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<TestS3> {
    // Imported here because not every test file needs its packages
    const { default: S3rver } = await import('@20minutes/s3rver');
    const folder = await mkdtemp(join(tmpdir(), 'test-s3-'));
    const options = { directory: folder, silent: true, vhostBuckets: false, configureBuckets: [{ name: bucket }] };
    const servers = [false, true].map((is) => new S3rver({ ...options, allowMismatchedSignatures: is }));
    await servers[0]!.configureBuckets();
    const [strict, lenient] = servers.map((it) => it.callback());
    const isAboutBucket = ({ url = '' }: IncomingMessage): boolean => url.startsWith(`/${bucket}/?`);
    const server = createServer((request, response) => {
      const otherwise = isAboutBucket(request) ? lenient! : strict!;
      // A listing may read a file that is being deleted: the client retries
      s3.handle(request, response, otherwise).catch(() => s3Error(response, 500, 'InternalError'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const s3 = new TestS3(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, folder, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      for (const { logger } of servers) {
        logger.exceptions.unhandle();
        logger.close();
      }
      await rm(folder, { recursive: true });
    });
    return s3;
  }

  /** For `BLOB_STORE_URL`. */
  get url(): string {
    return `s3://${bucket}/shop?endpoint=${this.endpoint}`;
  }

  readonly credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

  /** Returns the ids of the multipart uploads that are neither completed nor aborted. */
  async uploads(): Promise<string[]> {
    return readdir(this.uploadFolder).catch(() => []);
  }

  private get uploadFolder(): string {
    return join(this.folder, bucket, '._S3rver_uploads');
  }

  private async handle(request: IncomingMessage, response: ServerResponse, otherwise: RequestListener): Promise<void> {
    const { method = '', url = '' } = request;
    this.requests.push(`${method} ${url}`);
    if (this.fault(request, response)) return;
    const { pathname, searchParams } = new URL(url, this.endpoint);
    const isOfBucket = method === 'GET' && pathname === `/${bucket}/`;
    if (isOfBucket) response.end(await (searchParams.has('uploads') ? this.listOfUploads() : this.list(searchParams)));
    else if (method === 'DELETE' && searchParams.has('uploadId')) {
      await rm(join(this.uploadFolder, searchParams.get('uploadId')!), { recursive: true, force: true });
      response.writeHead(204).end();
    } else {
      if (method === 'PUT' && !searchParams.has('partNumber')) await this.waitForWrites(pathname, response);
      otherwise(request, response);
    }
  }

  /**
   * Serializes the writes to one path: s3rver writes all of them into one file, which would contain
   * bytes of each.
   */
  private async waitForWrites(pathname: string, response: ServerResponse): Promise<void> {
    const before = this.writing.get(pathname);
    const written = new Promise((resolve) => response.once('close', resolve));
    this.writing.set(pathname, written);
    await before;
  }

  private async list(parameters: URLSearchParams): Promise<string> {
    const { pageLength } = this;
    const suffix = '._S3rver_object';
    const files = await readdir(join(this.folder, bucket), { recursive: true });
    const from = parameters.get('continuation-token') ?? '';
    const keys = files
      .filter((file) => file.endsWith(suffix))
      .map((file) => file.slice(0, -suffix.length))
      .filter((key) => key.startsWith(parameters.get('prefix') ?? '') && key > from)
      .sort();
    const entries = keys.slice(0, pageLength).map(async (key) => {
      const { size, mtime } = await stat(join(this.folder, bucket, `${key}${suffix}`));
      return `<Contents><Key>${key}</Key><Size>${size}</Size><LastModified>${mtime.toISOString()}</LastModified></Contents>`;
    });
    const next = keys.length > pageLength ? keys[pageLength - 1] : undefined;
    const token = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
    return `<ListBucketResult>${(await Promise.all(entries)).join('')}${token}</ListBucketResult>`;
  }

  private async listOfUploads(): Promise<string> {
    const entries = (await this.uploads()).map(async (id) => {
      const file = join(this.uploadFolder, id, 'key');
      const [key, { mtime }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
      return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${mtime.toISOString()}</Initiated></Upload>`;
    });
    const uploads = (await Promise.all(entries)).join('');
    return `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads}</ListMultipartUploadsResult>`;
  }
}

/** Responds with an error of S3. */
export function s3Error(response: ServerResponse, status: number, code: string, more = ''): true {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message>${more}</Error>`;
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': body.length }).end(body);
  return true;
}
