import { Controller, Inject } from '@nestjs/common';
import type { QueueReply } from '#request-queue';
import { Operation } from '../edge/routing/operation.decorator.js';
import { Documents } from './documents.js';

@Controller()
export class SchemaController {
  constructor(@Inject(Documents) private readonly documents: Documents) {}

  @Operation('schema.hyper')
  hyper(): QueueReply {
    return this.documents.hyperSchema;
  }

  @Operation('schema.openapi')
  openApi(): QueueReply {
    return this.documents.openApi;
  }
}
