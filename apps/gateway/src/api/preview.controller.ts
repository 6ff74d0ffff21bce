import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type OperationRequest, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients, type QueueReply } from '#request-queue';
import { GatewayEnv } from '../env.js';
import { Parsed } from '../edge/routing/parsed.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';
import { TextureUploadStore } from './texture-upload.store.js';

@Controller()
export class PreviewController {
  constructor(
    private readonly env: GatewayEnv,
    private readonly clients: QueueClients,
    private readonly uploads: TextureUploadStore,
  ) {}

  /** Creates previews. A data URI is stored in the blob store; the message contains its key. */
  @Operation('previews.create')
  create(
    @Parsed() { viewerId, body: { texture, ...body }, language }: OperationRequest<'previews.create'>,
    @Req() request: FastifyRequest,
  ): Promise<QueueReply> {
    this.checkSize(body.size);
    return this.uploads.during(request, async (store) => {
      const source = texture === undefined ? undefined : await store({ text: texture, path: 'body.texture' });
      return this.clients
        .of('catalog')
        .request('previews.create', { ...body, viewerId, language, ...(source && { texture: source }) });
    });
  }

  private checkSize(size: number): void {
    if (this.env.IMAGE_SIZES.has(`${size}x${size}`)) return;
    const path = 'body.size';
    const sides = [...this.env.IMAGE_SIZES].map((it) => it.split('x')).filter(([width, height]) => width === height);
    const message = `must be one of ${sides.map(([side]) => side).join(', ')}`;
    throw new DomainError(problems['preview.size-not-available'], `${path}: ${message}`, [{ path, message }]);
  }
}
