import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { parsePrintFilePath, printFileKey, printFilePath, type PrintFileQuery, problems } from '#contracts';
import { DomainError } from '#kernel';
import { BlobStore } from '#storage';
import { GatewayEnv } from '../env.js';
import { Public } from '../edge/routing/operation.decorator.js';

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  tif: 'image/tiff',
  pdf: 'application/pdf',
  json: 'application/json; charset=utf-8',
};

const notFound = (): DomainError =>
  new DomainError(problems['print-files.not-found'], 'No print file exists at this URL.');

/** Streams print files and tickets from the blob store. */
@Controller()
export class PrintFileController {
  constructor(
    private readonly env: GatewayEnv,
    private readonly blobs: BlobStore,
  ) {}

  // Public: the signature in the URL is the permission
  @Public()
  @Get(`${printFilePath}/*`)
  async show(@Param('*') path: string, @Query() query: PrintFileQuery, @Res() reply: FastifyReply): Promise<void> {
    const address = parsePrintFilePath(path, query, this.env.IMAGE_SIGNING_SECRET);
    if (address === null) throw notFound();
    if (address.expires < Date.now() / 1_000)
      throw new DomainError(problems['print-files.expired'], 'The URL has expired; read the print files again.');
    const key = printFileKey(address);
    const [stats, stream] = await Promise.all([this.blobs.stat(key), this.blobs.read(key)]);
    if (!stats || !stream) {
      stream?.destroy();
      throw notFound();
    }
    const { name } = address;
    await reply
      .headers({
        'content-length': String(stats.size),
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'private, no-store',
        etag: `"${name.slice(0, 64)}"`,
      })
      .type(mediaTypes[name.slice(65)]!)
      .send(stream);
  }
}
