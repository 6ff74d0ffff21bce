import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type OperationName, operations, resources } from '#contracts';
import type { QueueReply } from '#request-queue';
import { GatewayEnv } from '../env.js';
import { metadataOf } from './oauth-metadata.js';
import { RateLimits } from '../edge/rate-limits/rate-limits.js';
import type { DocumentSettings } from './document-settings.js';
import { hyperSchema } from './hyper-schema.js';
import { openApi } from './openapi.js';

/** The published documents, serialized once at startup, with entity tags. */
@Injectable()
export class Documents {
  readonly hyperSchema: QueueReply;
  readonly openApi: QueueReply;
  /** Metadata of the OAuth server (RFC 8414). */
  readonly oauthServer: QueueReply;

  constructor(env: GatewayEnv, rateLimits: RateLimits) {
    const settings: DocumentSettings = {
      baseUrl: env.BASE_URL,
      dateTimeFormat: env.DATE_TIME_FORMAT,
      materialPriceMax: env.MATERIAL_PRICE_MAX,
      rateLimitOf: (operation) => rateLimits.of(operation as OperationName),
    };
    const table = { operations, resources };
    this.hyperSchema = replyOf(hyperSchema(table, settings), 'private, max-age=60');
    this.openApi = replyOf(openApi(table, settings), 'public, max-age=60');
    this.oauthServer = replyOf(metadataOf(env.BASE_URL, env.ACCESS_TOKEN_TTL > 0), 'public, max-age=3600');
  }
}

function replyOf(document: object, cacheControl: string): QueueReply {
  const body = Buffer.from(JSON.stringify(document));
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  return {
    status: 200,
    headers: { etag, 'cache-control': cacheControl, 'x-content-type-options': 'nosniff' },
    body,
    isProblem: false,
  };
}
