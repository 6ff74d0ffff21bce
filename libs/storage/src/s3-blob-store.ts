import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CompletedPart, S3 } from '@aws-sdk/client-s3';
import type { S3Location } from '#config';
import { DomainError } from '#kernel';
import {
  type BlobBytes,
  type BlobStats,
  BlobStore,
  BlobTooLarge,
  checkKey,
  type ListedBlob,
  storeUnavailable,
  type VersionedBlob,
} from './blob-store.js';
import { deleteOlder, toUnavailableError } from './folder-blob-store.js';

/** Credentials of a bucket. */
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Timeouts in milliseconds. */
const s3Timeouts = {
  connect: 1_000,
  /** Per attempt, including the wait for a socket and sending, until the response status. */
  response: 5_000,
  /** All attempts of a call, including reading its response. */
  call: 10_000,
  /** Between two chunks of a blob that is read as a stream. */
  idle: 30_000,
};

/**
 * Minimum size of a part in S3, except for the last one. Larger parts would take longer to hash
 * synchronously and use more memory.
 */
const partBytes = 5 * 1024 ** 2;
const maxSockets = 64;
const maxAttempts = 3;
/** Prefix of temporary folders with copies of blobs for other processes. */
const temporaryPrefix = 'storefront-blob-';

interface CallOptions {
  readonly abortSignal?: AbortSignal;
}

/**
 * Blob store in an S3 bucket, with an object for each blob. An object appears when its upload has
 * completed. The permissions that it requires are in docs/blob-store.md. Without `s3:ListBucket`,
 * S3 returns 403 instead of 404 for missing objects.
 */
export class S3BlobStore extends BlobStore {
  private client: Promise<S3> | undefined;

  constructor(
    private readonly place: S3Location,
    private readonly keys?: S3Keys,
    private readonly timeouts = s3Timeouts,
    /** Folder of copies for other processes. */
    private readonly temporaryFolder = tmpdir(),
  ) {
    super();
  }

  /**
   * Uploads up to 5 MiB in one request, and a larger blob in parts of 5 MiB, at most two of which
   * are in memory.
   */
  async put(key: string, bytes: BlobBytes): Promise<void> {
    const object = this.object(key);
    const parts = inParts(bytes instanceof Uint8Array ? [bytes] : bytes);
    try {
      const first = (await parts.next()).value!;
      const second = await parts.next();
      if (second.done) await this.call((s3, options) => s3.putObject({ ...object, Body: first }, options));
      else await this.putParts(object, [first, second.value], parts);
    } finally {
      await parts.return(undefined);
    }
  }

  async getVersioned(key: string): Promise<VersionedBlob | null> {
    const object = this.object(key);
    return this.find(async (s3, options) => {
      const { Body, ETag } = await s3.getObject(object, options);
      const { buffer, byteOffset, byteLength } = await Body!.transformToByteArray();
      return { bytes: Buffer.from(buffer, byteOffset, byteLength), version: ETag! };
    });
  }

  async read(key: string): Promise<Readable | null> {
    const object = this.object(key);
    // Without the timeout of a call, because the consumer sets the pace: once the response has
    // started, only the idle timeout applies
    return this.find(async (s3) => (await s3.getObject(object)).Body as Readable);
  }

  /** Copies the blob to a temporary file until `use` has ended. */
  async withFile<R>(
    key: string,
    use: (path: string, size: number) => Promise<R>,
    maxBytes = Infinity,
  ): Promise<R | null> {
    const object = this.object(key);
    const folder = await mkdtemp(join(this.temporaryFolder, temporaryPrefix));
    try {
      const path = join(folder, 'blob');
      const size = await this.find(async (s3, options) => {
        const { Body, ContentLength } = await s3.getObject(object, options);
        const content = Body as Readable;
        if (ContentLength! > maxBytes) {
          content.destroy();
          throw new BlobTooLarge(ContentLength!);
        }
        const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
        await pipeline(content, file);
        // A server that compresses its responses sends no Content-Length
        if (file.bytesWritten > maxBytes) throw new BlobTooLarge(file.bytesWritten);
        return file.bytesWritten;
      });
      return size === null ? null : await use(path, size);
    } finally {
      // `deletePartials` deletes a remaining folder later
      await rm(folder, { force: true, recursive: true }).catch(() => undefined);
    }
  }

  async stat(key: string): Promise<BlobStats | null> {
    const object = this.object(key);
    return this.find(async (s3, options) => {
      const { ContentLength, LastModified, ETag } = await s3.headObject(object, options);
      return { size: ContentLength!, modifiedAt: LastModified!, version: ETag! };
    });
  }

  /**
   * Copies the object inside the bucket, then deletes the source. After a crash in between, both
   * keys exist.
   */
  async move(from: string, to: string): Promise<boolean> {
    const source = this.object(from);
    const CopySource = [source.Bucket, ...source.Key.split('/')].map(encodeURIComponent).join('/');
    const target = this.object(to);
    const copied = await this.find((s3, options) => s3.copyObject({ ...target, CopySource }, options));
    if (copied === null) return false;
    await this.delete(from);
    return true;
  }

  async delete(key: string): Promise<void> {
    const object = this.object(key);
    await this.call((s3, options) => s3.deleteObject(object, options));
  }

  /** Deletes the objects of each page (1,000) in one request. */
  async deletePrefix(prefix: string): Promise<void> {
    const Bucket = this.place.bucket;
    for await (const page of this.pagesBelow(prefix)) {
      if (page.length === 0) continue;
      const Objects = page.map(({ key }) => ({ Key: this.object(key).Key }));
      const { Errors: [firstError] = [] } = await this.call((s3, options) =>
        s3.deleteObjects({ Bucket, Delete: { Objects, Quiet: true } }, options),
      );
      if (firstError) throw rejectedError(firstError.Code);
    }
  }

  async *list(prefix: string): AsyncGenerator<string> {
    for await (const { key } of this.listStats(prefix)) yield key;
  }

  async *listStats(prefix: string): AsyncGenerator<ListedBlob> {
    for await (const page of this.pagesBelow(prefix)) yield* page;
  }

  /**
   * Aborts incomplete multipart uploads, and deletes copies of `withFile` in the temporary folder
   * of this machine.
   */
  async deletePartials(end: Date): Promise<number> {
    const bucket = { Bucket: this.place.bucket };
    let deleted = await deleteOlder(this.temporaryFolder, temporaryPrefix, end).catch(() => 0);
    for (let from = {}; ;) {
      const of = { ...bucket, ...(this.root !== '' && { Prefix: this.root }), ...from };
      const page = await this.call((s3, options) => s3.listMultipartUploads(of, options));
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Initiated === undefined || Initiated >= end) continue;
        const upload = { ...bucket, Key: Key!, UploadId: UploadId! };
        await this.find((s3, options) => s3.abortMultipartUpload(upload, options));
        deleted += 1;
      }
      if (!page.IsTruncated) return deleted;
      from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  private async putParts(
    object: { readonly Bucket: string; readonly Key: string },
    first: readonly Buffer[],
    rest: AsyncIterable<Buffer>,
  ): Promise<void> {
    const { UploadId } = await this.call((s3, options) => s3.createMultipartUpload(object, options));
    const upload = { ...object, UploadId };
    const Parts: CompletedPart[] = [];
    const putPart = async (Body: Buffer): Promise<void> => {
      const PartNumber = Parts.length + 1;
      const part = { ...upload, PartNumber, Body };
      const { ETag } = await this.call((s3, options) => s3.uploadPart(part, options));
      Parts.push({ ETag, PartNumber });
    };
    try {
      for (const part of first) await putPart(part);
      for await (const part of rest) await putPart(part);
      const whole = { ...upload, MultipartUpload: { Parts } };
      await this.call((s3, options) => s3.completeMultipartUpload(whole, options));
    } catch (error) {
      // `deletePartials` aborts a remaining upload later. Throw the first error
      await this.call((s3, options) => s3.abortMultipartUpload(upload, options)).catch(() => undefined);
      throw error;
    }
  }

  private async *pagesBelow(prefix: string): AsyncGenerator<ListedBlob[]> {
    const below = { Bucket: this.place.bucket, Prefix: `${this.object(prefix).Key}/` };
    for (let from = {}; ;) {
      const page = await this.call((s3, options) => s3.listObjectsV2({ ...below, ...from }, options));
      yield (page.Contents ?? []).map(({ Key, Size, LastModified }) => ({
        key: Key!.slice(this.root.length),
        size: Size!,
        modifiedAt: LastModified!,
      }));
      if (page.NextContinuationToken === undefined) return;
      from = { ContinuationToken: page.NextContinuationToken };
    }
  }

  /** Prefix of every object key. */
  private get root(): string {
    return this.place.prefix === '' ? '' : `${this.place.prefix}/`;
  }

  private object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.place.bucket, Key: `${this.root}${checkKey(key)}` };
  }

  /** Calls S3 as `call` does; returns null if the object is missing. */
  private async find<R>(call: (s3: S3, options: CallOptions) => Promise<R>): Promise<R | null> {
    try {
      return await this.call(call);
    } catch (error) {
      if (error instanceof MissingObjectError) return null;
      throw error;
    }
  }

  private async call<R>(call: (s3: S3, options: CallOptions) => Promise<R>): Promise<R> {
    try {
      const s3 = await (this.client ??= this.connect());
      return await call(s3, { abortSignal: AbortSignal.timeout(this.timeouts.call) });
    } catch (error) {
      throw translateError(error);
    }
  }

  /**
   * Loads the SDK on first use, because it is the largest package and a folder does not need it.
   */
  private async connect(): Promise<S3> {
    // Suppresses the warning about Node.js versions that future versions of the SDK require
    // eslint-disable-next-line no-restricted-properties -- the SDK reads only the environment
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    const { S3 } = await import('@aws-sdk/client-s3');
    const { endpoint, region = endpoint && 'us-east-1' } = this.place;
    const agent = { keepAlive: true, maxSockets };
    return new S3({
      ...(region !== undefined && { region }),
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(this.keys && { credentials: this.keys }),
      maxAttempts,
      // The signature already contains a hash of the body, and not every store supports checksums
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // With `Expect: 100-continue` the SDK creates an agent for each request, without a socket
      // limit
      expectContinueHeader: false,
      requestHandler: {
        connectionTimeout: this.timeouts.connect,
        requestTimeout: this.timeouts.response,
        throwOnRequestTimeout: true,
        socketTimeout: this.timeouts.idle,
        httpAgent: agent,
        httpsAgent: agent,
      },
    });
  }
}

/**
 * Combines chunks into parts of equal size, only the last of which may be shorter. Yields one part
 * for empty input.
 */
async function* inParts(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let pending: Uint8Array[] = [];
  let missing = partBytes;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > missing) {
      yield Buffer.concat([...pending, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      pending = [];
      missing = partBytes;
    }
    pending.push(rest);
    missing -= rest.length;
  }
  yield Buffer.concat(pending);
}

/** Error for an object that does not exist. */
class MissingObjectError extends Error {}

const rejectedError = (reason: string | undefined): Error =>
  new Error(`The blob store rejected the request: ${reason ?? 'no reason'}`);

/**
 * Converts an error of the SDK. Uses only its name, code and status: its message quotes the request
 * and the response, including the access key id. An unreachable, slow or full store becomes
 * `service.unavailable`, and a missing object a MissingObjectError. A rejected request is a defect
 * or a misconfiguration and becomes another error.
 */
function translateError(error: unknown): unknown {
  if (error instanceof DomainError || error instanceof BlobTooLarge) return error;
  const localError = toUnavailableError(error);
  if (localError !== error) return localError;
  const { name, code, $metadata } = error as { name: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(name))
    return new MissingObjectError('the object does not exist');
  const isSlow = ['TimeoutError', 'AbortError', 'RequestTimeout', 'SlowDown'].includes(name);
  // No response: an error of the network or of a proxy
  const hasNoResponse = (code ?? $metadata) !== undefined && name !== 'CredentialsProviderError';
  const isUnavailable = status === undefined ? hasNoResponse : status >= 500 || status === 429;
  if (isSlow || isUnavailable) return storeUnavailable(`The blob store is temporarily unavailable (${code ?? name}).`);
  return rejectedError(status === undefined ? name : `${name} (${status})`);
}
