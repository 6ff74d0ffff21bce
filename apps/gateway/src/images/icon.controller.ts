import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { blanksFolder } from '#blanks';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
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

@Controller('icons')
export class IconController {
  @Public()
  @Get(':name')
  show(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const icon = icons.get(name);
    if (!icon) throw new DomainError(problems['request.not-found'], 'The icon does not exist.');
    void reply.headers({ etag: icon.etag, 'cache-control': 'public, max-age=86400' });
    void reply.type(icon.type).send(icon.bytes);
  }
}
