import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { Texture } from '#contracts';
import { FolderBlobStore } from '#storage';
import { testDatabase, type TestDatabase } from '#testing';
import type { TextureDecoder } from '../textures/texture.decoder.js';
import { TextureEntity } from '../textures/texture.entity.js';
import { TextureFetcher } from '../textures/texture.fetcher.js';
import { TextureRepository } from '../textures/texture.repository.js';
import { TextureService } from '../textures/texture.service.js';
import { keyOf, textureStore } from './stored-texture.js';

/**
 * Fixture for the intake of textures: a database, a blob store in a temporary folder, and an HTTP
 * server.
 */
export class TextureIntake {
  readonly blobs: FolderBlobStore;
  /** Body of every response of the server. A function is called for each response. */
  served: { readonly bytes: Buffer | (() => AsyncIterable<Buffer>); readonly type?: string } = {
    bytes: Buffer.alloc(0),
  };
  private readonly server: Server;

  private constructor(
    readonly db: TestDatabase,
    readonly folder: string,
  ) {
    this.blobs = new FolderBlobStore(folder);
    this.server = createServer((_request, response) => {
      if (this.served.type !== undefined) response.setHeader('content-type', this.served.type);
      const { bytes } = this.served;
      if (typeof bytes === 'function') pipeline(bytes, response, () => undefined);
      else response.end(bytes);
    });
  }

  static async open(): Promise<TextureIntake> {
    const db = await testDatabase('material-rendering', [TextureEntity]);
    const intake = new TextureIntake(db, await mkdtemp(join(tmpdir(), 'intake-')));
    await new Promise<void>((resolve) => intake.server.listen(0, '127.0.0.1', resolve));
    return intake;
  }

  serviceWith(decoder: TextureDecoder, quotaBytes?: number, otherHosts: readonly string[] = []): TextureService {
    // The maximum of the setting, because one of the tests fetches 24 images at the same time on a
    // busy machine
    const fetcher = new TextureFetcher({ allowedHosts: new Set([this.host, ...otherHosts]), timeoutMs: 20_000 });
    const { database } = this.db;
    const store = textureStore(database, this.blobs, quotaBytes);
    return new TextureService(fetcher, decoder, this.blobs, new TextureRepository(database), store);
  }

  addressOf(name: string): string {
    return `http://${this.host}/${name}`;
  }

  /** Returns the stored bytes of a texture; null if they are missing. */
  async stored(texture: Pick<Texture, 'hash'>): Promise<Buffer | null> {
    return this.blobs.get(await keyOf(this.db.database, texture));
  }

  /** Stores an upload and returns its key. */
  async upload(bytes: Buffer): Promise<string> {
    const key = `uploads/${randomUUID()}`;
    await this.blobs.put(key, bytes);
    return key;
  }

  async keys(below: string): Promise<string[]> {
    const found: string[] = [];
    for await (const key of this.blobs.list(below)) found.push(key);
    return found;
  }

  async close(): Promise<void> {
    this.server.close();
    await this.db.close();
    await rm(this.folder, { recursive: true });
  }

  private get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}
