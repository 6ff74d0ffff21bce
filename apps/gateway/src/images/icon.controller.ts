import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { blanksFolder } from '#blanks';
import { iconKey, problems } from '#contracts';
import { DomainError } from '#kernel';
import { BlobStore } from '#storage';
import { Public } from '../edge/routing/operation.decorator.js';

const itemsFolder = `${blanksFolder}/items`;

const mediaTypes = { svg: 'image/svg+xml', png: 'image/png' };

/** Icons by name, such as `mug.svg`, in memory, because they are few and small. */
const icons = new Map(
  readdirSync(itemsFolder).flatMap((item) =>
    Object.entries(mediaTypes).map(([extension, type]) => {
      const bytes = readFileSync(`${itemsFolder}/${item}/icon.${extension}`);
      const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
      return [`${item}.${extension}`, { bytes, type, etag }];
    }),
  ),
);

/** Hash of an icon of an imported item, the key of a blob. */
const namePattern = /^[0-9a-f]{64}\.(svg|png)$/;

@Controller('icons')
export class IconController {
  constructor(private readonly blobs: BlobStore) {}

  @Public()
  @Get(':name')
  async show(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const icon = icons.get(name);
    if (icon) {
      void reply.headers({ etag: icon.etag, 'cache-control': 'public, max-age=86400' });
      void reply.type(icon.type).send(icon.bytes);
      return;
    }
    const extension = namePattern.exec(name)?.[1] as keyof typeof mediaTypes | undefined;
    const imported = extension && (await this.blobs.getVersioned(iconKey(name)));
    if (!imported) throw new DomainError(problems['request.not-found'], 'The icon does not exist.');
    void reply.headers({
      etag: `"${name.slice(0, 32)}"`,
      'cache-control': 'public, max-age=31536000, immutable',
      // `blank check` accepts only elements that draw. In a tab of its own the icon is a document
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    void reply.type(mediaTypes[extension]).send(imported.bytes);
  }
}
