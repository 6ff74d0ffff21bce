import { Module } from '@nestjs/common';
import { Documents } from './documents.js';
import { SchemaController } from './schema.controller.js';

/** Machine-readable documents: JSON Hyper-Schema, OpenAPI, and the metadata of the OAuth server. */
@Module({ controllers: [SchemaController], providers: [Documents] })
export class SchemaModule {}
