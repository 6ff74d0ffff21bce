import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { Public } from '../../edge/routing/operation.decorator.js';
import { assets } from './assets.js';

@Controller('assets')
export class AssetController {
  @Public()
  @Get(':name')
  show(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const asset = assets.get(name);
    if (!asset) throw new DomainError(problems['request.not-found'], 'Unknown file.');
    const headers = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' };
    void reply.headers(headers).type(asset.type).send(asset.bytes);
  }
}
