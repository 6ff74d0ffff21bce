import { Controller, Get } from '@nestjs/common';
import type { QueueReply } from '#request-queue';
import { Operation, Public } from '../edge/routing/operation.decorator.js';
import { metadataPath } from './oauth-metadata.js';
import { Documents } from './documents.js';

@Controller()
export class SchemaController {
  constructor(private readonly documents: Documents) {}

  @Operation('schema.hyper')
  hyper(): QueueReply {
    return this.documents.hyperSchema;
  }

  @Operation('schema.openapi')
  openApi(): QueueReply {
    return this.documents.openApi;
  }

  @Public()
  @Get(metadataPath)
  oauthServer(): QueueReply {
    return this.documents.oauthServer;
  }
}
