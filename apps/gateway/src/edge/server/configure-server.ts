import cookie from '@fastify/cookie';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { operations } from '#contracts';
import { Log } from '#observability';
import { GatewayEnv, keyPairFiles } from '../../env.js';
import { Admission } from '../admission/admission.js';
import { earlyRejection } from '../admission/early-rejection.js';
import { readForm } from '../bodies/form-body.js';
import { readJsonBody } from '../bodies/json-body.js';
import { readUploadForm } from '../bodies/upload-form.js';
import { LargeBodies } from '../bodies/large-bodies.js';
import { CachedReads } from '../cached-responses/cached-reads.js';
import { watchBodies } from '../connections/body-timeout.js';
import { ConnectionShares } from '../connections/connection-shares.js';
import { GracefulShutdown } from '../connections/graceful-shutdown.js';
import { OpenRequests } from '../connections/open-requests.js';
import { ProblemWriter } from '../errors/problem-writer.js';
import { corsHeaders } from '../headers/cors.js';
import { handleBeforeFramework } from './before-framework.js';
import { registerCompression } from './compression.js';
import type { EdgeAdapter } from './edge-adapter.js';
import type { EdgeTimes } from './edge-times.js';
import { RequestHooks, transportSecurity } from './request-hooks.js';
import { closeFailedHandshakes, watchKeyPair } from './tls.js';

/**
 * Prepares the server for requests: connections, hooks of every request, body parsers, compression.
 */
export async function configureServer(app: NestFastifyApplication, times: EdgeTimes): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  // Unknown expectations are ignored (RFC 9110, 10.1.1); Node.js would respond 417 without a
  // problem document
  server.server.on('checkExpectation', (...exchange) => server.server.emit('request', ...exchange));
  // Before the hooks, because error pages read cookies, too
  await app.register(cookie as never);
  watchConnections(app, times);
  app.get(RequestHooks).register(server, times);
  // Other content types get 415
  server.removeAllContentTypeParsers();
  const largeBodies = app.get(LargeBodies);
  server.addContentTypeParser('application/json', (request: FastifyRequest, bytes: IncomingMessage) =>
    readJsonBody(request, bytes, largeBodies, times.bodyIdleMs),
  );
  server.addContentTypeParser('application/x-www-form-urlencoded', readForm);
  server.addContentTypeParser('multipart/form-data', (request: FastifyRequest, bytes: IncomingMessage) =>
    readUploadForm(request, bytes, times.requestMs),
  );
  await registerCompression(app);
}

/**
 * Registers connection handling before routing. The order of listeners is the order of their
 * effects.
 */
function watchConnections(
  app: NestFastifyApplication,
  { requestMs, exchangeMs, closeGraceMs, certificateEveryMs }: EdgeTimes,
): void {
  const adapter = app.getHttpAdapter() as unknown as EdgeAdapter;
  const { server } = app.getHttpAdapter().getInstance();
  const env = app.get(GatewayEnv);
  const problemWriter = app.get(ProblemWriter);
  app.get(GracefulShutdown).watch(server);
  const files = keyPairFiles(env);
  if (files) {
    // Fastify's types would treat HTTPS as another type of application
    const secure = server as unknown as HttpsServer;
    closeFailedHandshakes(secure, problemWriter, closeGraceMs);
    watchKeyPair(secure, files, app.get(Log), certificateEveryMs);
  }
  const rejectEarly = earlyRejection(app.get(Admission), problemWriter, {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': '1',
    ...transportSecurity(env),
    ...corsHeaders(operations['items.list'].path),
  });
  const reads = app.get(CachedReads);
  handleBeforeFramework(server, [
    rejectEarly,
    (request, response, handle) => reads.respond(request, response, exchangeMs, handle),
  ]);
  // Prepends its listener to that of `handleBeforeFramework`: early rejections need lingering close
  adapter.lingering.watch(server);
  watchBodies(server, requestMs);
  new ConnectionShares(env.MAX_CONNECTIONS, env.TRUSTED_PROXIES, app.get(OpenRequests)).watch(server);
}
