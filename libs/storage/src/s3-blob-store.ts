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
  type BlobFacts,
  BlobStore,
  checkKey,
  type ListedBlob,
  storeAway,
  type VersionedBlob,
} from './blob-store.js';
import { deleteOlder, ifUnwritable } from './folder-blob-store.js';

/** Keys of a bucket. */
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** How long a store may be silent, in milliseconds. */
const s3Times = {
  connect: 1_000,
  /** From asking, waiting for a socket and sending included, to the first line of the answer. */
  answer: 5_000,
  /** All attempts of a call together, and reading its answer. */
  call: 10_000,
  /** Between two pieces of a blob that is read as a stream. */
  idle: 30_000,
};

/** What S3 takes as a part, but for the last one. Larger ones would be hashed in one go for longer, and wait in memory. */
const partBytes = 5 * 1024 ** 2;
const socketsAtMost = 64;
const attempts = 3;
/** What a blob that another process reads lies in meanwhile, below a folder for temporary files. */
const temporary = 'storefront-blob-';

interface CallOptions {
  readonly abortSignal?: AbortSignal;
}

/**
 * Blobs as objects of a bucket. One request writes an object, and it is there when all of it is. Needs the rights to get,
 * put, delete and list: without the last S3 says of what is not there that it is forbidden.
 */
export class S3BlobStore extends BlobStore {
  private client: Promise<S3> | undefined;

  constructor(
    private readonly place: S3Location,
    private readonly keys?: S3Keys,
    private readonly times = s3Times,
    /** Where copies for other processes lie. */
    private readonly temporaryFolder = tmpdir(),
  ) {
    super();
  }

  /** Up to 5 MiB are one request. What is longer goes in parts of that size, two of which are in memory. */
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
    // Whoever reads decides how long it takes, so that only silence ends it
    return this.find(async (s3) => (await s3.getObject(object)).Body as Readable);
  }

  /** A copy among the temporary files, while it is used. */
  async withFile<R>(key: string, use: (path: string) => Promise<R>): Promise<R | null> {
    const object = this.object(key);
    const folder = await mkdtemp(join(this.temporaryFolder, temporary));
    try {
      const path = join(folder, 'blob');
      const found = await this.find(async (s3, options) => {
        const { Body } = await s3.getObject(object, options);
        await pipeline(Body as Readable, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
        return true;
      });
      return found ? await use(path) : null;
    } finally {
      // What cannot be removed now is swept later
      await rm(folder, { force: true, recursive: true }).catch(() => undefined);
    }
  }

  async facts(key: string): Promise<BlobFacts | null> {
    const object = this.object(key);
    return this.find(async (s3, options) => {
      const { ContentLength, LastModified, ETag } = await s3.headObject(object, options);
      return { size: ContentLength!, modifiedAt: LastModified!, version: ETag! };
    });
  }

  /** Copied inside the store, then removed: when a process ends between, the blob has both keys. */
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

  /** A thousand at a time. */
  async deleteBelow(prefix: string): Promise<void> {
    const Bucket = this.place.bucket;
    for await (const page of this.pagesBelow(prefix)) {
      if (page.length === 0) continue;
      const Objects = page.map(({ key }) => ({ Key: this.object(key).Key }));
      const { Errors: [left] = [] } = await this.call((s3, options) =>
        s3.deleteObjects({ Bucket, Delete: { Objects, Quiet: true } }, options),
      );
      if (left) throw refused(left.Code);
    }
  }

  async *below(prefix: string): AsyncGenerator<string> {
    for await (const { key } of this.factsBelow(prefix)) yield key;
  }

  async *factsBelow(prefix: string): AsyncGenerator<ListedBlob> {
    for await (const page of this.pagesBelow(prefix)) yield* page;
  }

  /** Uploads in parts that nobody ended, and what lies among the temporary files of this machine. */
  async deletePartials(end: Date): Promise<number> {
    const bucket = { Bucket: this.place.bucket };
    let removed = await deleteOlder(this.temporaryFolder, temporary, end).catch(() => 0);
    for (let from = {}; ;) {
      const of = { ...bucket, ...(this.root !== '' && { Prefix: this.root }), ...from };
      const page = await this.call((s3, options) => s3.listMultipartUploads(of, options));
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Initiated === undefined || Initiated >= end) continue;
        const upload = { ...bucket, Key: Key!, UploadId: UploadId! };
        await this.find((s3, options) => s3.abortMultipartUpload(upload, options));
        removed += 1;
      }
      if (!page.IsTruncated) return removed;
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
      // What cannot be removed now is swept later; what went wrong first is what counts
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

  /** What stands before every key. */
  private get root(): string {
    return this.place.prefix === '' ? '' : `${this.place.prefix}/`;
  }

  private object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.place.bucket, Key: `${this.root}${checkKey(key)}` };
  }

  /** As `call`; null for what is not there. */
  private async find<R>(call: (s3: S3, options: CallOptions) => Promise<R>): Promise<R | null> {
    try {
      return await this.call(call);
    } catch (error) {
      if (error instanceof Missing) return null;
      throw error;
    }
  }

  private async call<R>(call: (s3: S3, options: CallOptions) => Promise<R>): Promise<R> {
    try {
      const s3 = await (this.client ??= this.connect());
      return await call(s3, { abortSignal: AbortSignal.timeout(this.times.call) });
    } catch (error) {
      throw toldApart(error);
    }
  }

  /** Loaded when it is needed: it would be the largest package of every app, and most run with a folder. */
  private async connect(): Promise<S3> {
    // Which Node later versions of the SDK need is the affair of who updates it, not a line of ours in every log
    // eslint-disable-next-line no-restricted-properties -- the SDK asks nothing else
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    const { S3 } = await import('@aws-sdk/client-s3');
    const { endpoint, region = endpoint && 'us-east-1' } = this.place;
    const agent = { keepAlive: true, maxSockets: socketsAtMost };
    return new S3({
      ...(region !== undefined && { region }),
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(this.keys && { credentials: this.keys }),
      maxAttempts: attempts,
      // The signature holds a hash of what is sent already, and not every store knows more
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // It would make an agent of its own for each request, without a limit of sockets
      expectContinueHeader: false,
      requestHandler: {
        connectionTimeout: this.times.connect,
        requestTimeout: this.times.answer,
        throwOnRequestTimeout: true,
        socketTimeout: this.times.idle,
        httpAgent: agent,
        httpsAgent: agent,
      },
    });
  }
}

/** Pieces as they come, as parts of one size; only the last one is shorter. There is one, also of nothing. */
async function* inParts(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let gathered: Uint8Array[] = [];
  let missing = partBytes;
  for await (const piece of pieces) {
    let rest = piece;
    while (rest.length > missing) {
      yield Buffer.concat([...gathered, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      gathered = [];
      missing = partBytes;
    }
    gathered.push(rest);
    missing -= rest.length;
  }
  yield Buffer.concat(gathered);
}

/** There is no such object. */
class Missing extends Error {}

const refused = (reason: string | undefined): Error => new Error(`the blob store refuses: ${reason ?? 'no reason'}`);

/**
 * Errors of the SDK quote what was sent and answered, the name of the key among it: nothing of them is passed on but the
 * code. A store that is away, slow or full is told from one that refuses, which somebody has to look at.
 */
function toldApart(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  const ifLocal = ifUnwritable(error);
  if (ifLocal !== error) return ifLocal;
  const { name, code, $metadata } = error as { name: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(name)) return new Missing('there is no such object');
  const isSlow = ['TimeoutError', 'AbortError', 'RequestTimeout', 'SlowDown'].includes(name);
  // Asked and not answered: the network, or what stands for it
  const isUnanswered = (code ?? $metadata) !== undefined && name !== 'CredentialsProviderError';
  const isAway = status === undefined ? isUnanswered : status >= 500 || status === 429;
  if (isSlow || isAway) return storeAway(`The blob store does not answer now (${code ?? name}).`);
  return refused(status === undefined ? name : `${name} (${status})`);
}
