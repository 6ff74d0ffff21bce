import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Cache } from '#cache';
import { type Operation, type OperationName, operations } from '#contracts';
import type { CachedBody, ReusableReply } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import { credentialsOf } from '../authentication/viewer.js';
import { operationNameOfRequest } from '../routing/operation-of.js';

/** Response of an operation, except for its body, which is in the cache of replies. */
export interface CachedResponse {
  readonly route: string;
  readonly reply: ReusableReply;
  readonly coding: string;
  /** Entity tags that `If-None-Match` may have: of these bytes, and of the other codings. */
  readonly etags: readonly string[];
  /** Names and values in turn, without the request id. */
  readonly headers: readonly string[];
}

interface Source {
  readonly reply: ReusableReply;
  readonly cached: CachedBody;
}
const sources = new WeakMap<FastifyReply, Source>();

/** Sets the cached reply that a response is sent from. */
export const setSource = (response: FastifyReply, source: Source): void => void sources.set(response, source);

/** Share of RESPONSE_CACHE_MB for the headers of responses; the rest is for replies. */
export const shareOfResponses = 1 / 16;
/** Longest URL and headers of a key; longer ones are rare, and not cached. */
const maxKeyLength = 2_000;
/** Memory of the objects of an entry, and of its reply, which may be none of the cache any more. */
const overheadBytes = 1_500;

/**
 * Responses of operations that only read, by URL and the headers that they depend on. An entry
 * belongs to one reply in the cache of replies, and is used only after the service has confirmed
 * that reply for the viewer.
 */
@Injectable()
export class CachedResponses {
  private readonly responses: Cache<CachedResponse>;

  constructor(env: GatewayEnv) {
    this.responses = new Cache({
      name: 'gateway-responses',
      maxBytes: env.RESPONSE_CACHE_MB * 1024 ** 2 * shareOfResponses,
      bytesOf: ({ headers }) => headers.reduce((sum, { length }) => sum + length, overheadBytes),
    });
  }

  /** Returns the cached response to a request, which must be validated. */
  find(request: IncomingMessage, viewerId: number): CachedResponse | undefined {
    const key = keyOf(request.url, request.headers);
    return key === undefined ? undefined : (this.responses.peek(key) ?? this.responses.peek(`${key}\n${viewerId}`));
  }

  /** Counts a response that was validated and sent. */
  countHit(): void {
    this.responses.count('hit');
  }

  /**
   * Caches a response with the headers that it has now, if it may be sent again.
   *
   * @param etags as `CachedResponse.etags`
   * @param payload body, in the content coding of the headers
   */
  store(request: FastifyRequest, response: FastifyReply, etags: readonly string[], payload: unknown): void {
    const source = sources.get(response);
    const name = operationNameOfRequest(request);
    if (!source || !name || response.statusCode !== 200 || !isReusable(name, request)) return;
    const key = keyOf(request.raw.url, request.raw.headers);
    const headers = response.getHeaders();
    const { 'content-encoding': coding = 'identity' } = headers;
    const body = source.cached.bytesIn(String(coding));
    if (key === undefined || 'connection' in headers || !body || payload !== body) return;
    const { reply } = source;
    const entry = {
      route: operations[name].path,
      reply,
      coding: String(coding),
      etags,
      headers: [...Object.entries(headers), ['content-length', body.length] as const]
        .filter(([header]) => header !== 'x-request-id')
        .flatMap(([header, value]) => [header, String(value)]),
    };
    this.responses.count('miss');
    this.responses.set(reply.isPerViewer ? `${key}\n${credentialsOf(request).user!.userId}` : key, entry);
  }
}

/**
 * Returns whether the response depends only on the key and the viewer, and the request needs no
 * more than the scope `read`.
 */
function isReusable(name: OperationName, request: FastifyRequest): boolean {
  const { method, scope, alternativeScope, tokens, rateLimit }: Operation = operations[name];
  return (
    request.method === 'GET' &&
    method === 'GET' &&
    scope === 'read' &&
    alternativeScope === undefined &&
    tokens !== 'own' &&
    rateLimit === undefined &&
    credentialsOf(request).isInQuery !== true
  );
}

/**
 * Returns the key of a request; undefined for a rare request, and for a token in the URL, which is
 * not stored.
 */
function keyOf(url: string | undefined, headers: IncomingHttpHeaders): string | undefined {
  const { 'accept-encoding': coding, 'accept-language': language } = headers;
  if (headers['x-no-compression'] !== undefined || url?.includes('access_token')) return undefined;
  const key = `${url}\n${language}\n${String(coding)}`;
  return key.length > maxKeyLength ? undefined : key;
}
