import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { inSpan, Log } from '#observability';
import { runInCall } from '#request-queue';
import { Admission } from '../admission/admission.js';
import { TokenCache } from '../authentication/token-cache.js';
import { GracefulShutdown } from '../connections/graceful-shutdown.js';
import { type OpenRequest, OpenRequests } from '../connections/open-requests.js';
import { requestIdOf } from '../headers/request-id.js';
import { matches } from '../headers/entity-tag.js';
import { countRequest } from '../observability/request-count.js';
import { logRequest } from '../observability/request-log.js';
import { endRequestSpan, startRequestSpan, traceIdOf } from '../observability/request-span.js';
import { type CachedResponse, CachedResponses } from './cached-responses.js';

/** A request with a cached response. */
interface Read {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly cached: CachedResponse;
  /** In the coding of the response. The validation is that of the reply that it belongs to. */
  readonly body: Buffer;
  /** With the permit. */
  readonly open: OpenRequest;
  readonly userId: number;
  readonly requestId: string;
  /** As `performance.now()`. */
  readonly startedAt: number;
}

/** Headers that a 304 does not have, because they describe the body (RFC 9110, 15.4.5). */
const bodyHeaders: ReadonlySet<string> = new Set(['content-encoding', 'content-type', 'content-length', 'etag']);

/**
 * Responds to reads from cached responses, before the framework handles them: routing, guards,
 * hooks and reply objects are two thirds of the cost of such a response. Token, admission control,
 * validation by the service, conditional requests, metrics, spans and log are the same.
 */
@Injectable()
export class CachedReads {
  constructor(
    private readonly responses: CachedResponses,
    private readonly tokens: TokenCache,
    private readonly admission: Admission,
    private readonly openRequests: OpenRequests,
    private readonly shutdown: GracefulShutdown,
    private readonly log: Log,
  ) {}

  /**
   * Responds to a request that has a cached response.
   *
   * @param exchangeMs time until the client has read the response
   * @param handle handles the request if the response is no longer valid
   * @returns false if the framework must handle the request
   */
  respond(request: IncomingMessage, response: ServerResponse, exchangeMs: number, handle: () => void): boolean {
    const { method, headers } = request;
    if (method !== 'GET' || this.shutdown.hasBegun || hasBody(request)) return false;
    const viewer = this.tokens.cachedViewer(headers.authorization);
    if (!viewer?.scopes.includes('read')) return false;
    const { userId } = viewer;
    const cached = this.responses.find(request, userId);
    const body = cached?.reply.body()?.bytesIn(cached.coding);
    const permit = body && this.admission.acquireCall(userId);
    if (!permit) return false;
    const open = this.openRequests.begin(request, exchangeMs);
    if (!open) {
      permit.release();
      return false;
    }
    open.permit = permit;
    open.onDisconnect(() => permit.release());
    const requestId = requestIdOf(request);
    const read = { request, response, cached: cached!, body, open, userId, requestId, startedAt: performance.now() };
    void this.validate(read).then((isValid) => this.complete(read, isValid, handle));
    return true;
  }

  private validate({ request, cached, userId, requestId }: Read): Promise<boolean> {
    return inSpan(startRequestSpan(request, requestId), () =>
      runInCall({ requestId }, () => cached.reply.isValidFor(userId)),
    );
  }

  private complete(read: Read, isValid: boolean, handle: () => void): void {
    const { request, open, requestId, startedAt } = read;
    if (open.isDisconnected) return;
    // After the beginning of a shutdown, the response may need `Connection: close`
    if (isValid && !this.shutdown.hasBegun) {
      this.send(read);
      return;
    }
    open.earlyMs = performance.now() - startedAt;
    request.headers['x-request-id'] = requestId;
    handle();
  }

  private send(read: Read): void {
    const { request, response, cached, body, requestId, startedAt } = read;
    this.admission.recordCall(performance.now() - startedAt);
    for (const counter of [this.responses, this.tokens, cached.reply]) counter.countHit();
    const known = cached.etags.find((tag) => matches(request.headers['if-none-match'], tag));
    const done = (): void => this.end(read);
    if (known === undefined) {
      response.writeHead(200, ['x-request-id', requestId, ...cached.headers]);
      response.end(body, done);
    } else {
      const { headers } = cached;
      const others = headers.filter((_, at) => !bodyHeaders.has(headers[at - (at % 2)]!));
      response.writeHead(304, ['x-request-id', requestId, ...others, 'etag', known]);
      response.end(done);
    }
  }

  /** Called when the response was handed to the operating system. */
  private end({ request, response, cached: { route }, open, userId, requestId, startedAt }: Read): void {
    open.permit?.release();
    this.openRequests.end(request);
    const completed = {
      method: 'GET',
      route,
      status: response.statusCode,
      elapsedMs: performance.now() - startedAt,
      requestId,
      userId,
      traceId: traceIdOf(request),
    };
    countRequest(completed);
    endRequestSpan(request, route, response.statusCode);
    logRequest(this.log, completed);
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
