import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { projectPath } from '#config';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { Public } from '../edge/routing/operation.decorator.js';

const iconFolder = projectPath('apps/catalog/data/icons');

const mediaTypes: Readonly<Record<string, string>> = { '.svg': 'image/svg+xml', '.png': 'image/png' };

/** Icons by name, in memory, because they are few and small. */
const icons = new Map(
  readdirSync(iconFolder).map((name) => {
    const bytes = readFileSync(`${iconFolder}/${name}`);
    const type = mediaTypes[extname(name)]!;
    return [name, { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` }];
  }),
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
