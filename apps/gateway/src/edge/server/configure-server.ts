import cookie from '@fastify/cookie';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { operations } from '#contracts';
import { Log } from '#observability';
import { GatewayEnv, keyPairFiles } from '../../env.js';
import { Admission } from '../admission/admission.js';
import { rejectEarly } from '../admission/early-rejection.js';
import { readForm } from '../bodies/form-body.js';
import { readJsonBody } from '../bodies/json-body.js';
import { LargeBodies } from '../bodies/large-bodies.js';
import { ConnectionShares } from '../connections/connection-shares.js';
import { GracefulShutdown } from '../connections/graceful-shutdown.js';
import { OpenRequests } from '../connections/open-requests.js';
import { ProblemWriter } from '../errors/problem-writer.js';
import { corsHeaders } from '../headers/cors.js';
import { registerCompression } from './compression.js';
import type { EdgeAdapter } from './edge-adapter.js';
import type { EdgeTimes } from './edge-times.js';
import { RequestHooks, transportSecurity } from './request-hooks.js';
import { endFailedHandshakes, followKeyPair } from './tls.js';

/** Prepares the server for requests: connections, hooks of every request, body parsers, compression. */
export async function configureServer(app: NestFastifyApplication, times: EdgeTimes): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  // An expectation that nobody can meet may be ignored (RFC 9110, 10.1.1); Node would answer 417 without a document
  server.server.on('checkExpectation', (...exchange) => server.server.emit('request', ...exchange));
  // Before the hooks: the page of an error reads the cookies too
  await app.register(cookie as never);
  watchConnections(app, times);
  app.get(RequestHooks).register(server, times);
  // Text that is no JSON is no body of this API: 415, whatever it holds
  server.removeAllContentTypeParsers();
  const largeBodies = app.get(LargeBodies);
  server.addContentTypeParser('application/json', (request: FastifyRequest, bytes: IncomingMessage) =>
    readJsonBody(request, bytes, largeBodies, times.bodySilenceMs),
  );
  server.addContentTypeParser('application/x-www-form-urlencoded', readForm);
  await registerCompression(app);
}

/** What happens to connections before their requests are routed. The order of the listeners is that of their effects. */
function watchConnections(app: NestFastifyApplication, { farewellMs, certificateEveryMs }: EdgeTimes): void {
  const adapter = app.getHttpAdapter() as unknown as EdgeAdapter;
  const { server } = app.getHttpAdapter().getInstance();
  const env = app.get(GatewayEnv);
  const problemWriter = app.get(ProblemWriter);
  app.get(GracefulShutdown).watch(server);
  const files = keyPairFiles(env);
  if (files) {
    // To Fastify's types HTTPS would be another kind of application
    const secure = server as unknown as HttpsServer;
    endFailedHandshakes(secure, problemWriter, farewellMs);
    followKeyPair(secure, files, app.get(Log), certificateEveryMs);
  }
  rejectEarly(server, app.get(Admission), problemWriter, {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': '1',
    ...transportSecurity(env),
    ...corsHeaders(operations['items.list'].path),
  });
  // In front of early rejections, which are its business as well
  adapter.lingering.watch(server);
  new ConnectionShares(env.CONNECTIONS_AT_ONCE, env.TRUSTED_PROXIES, app.get(OpenRequests)).watch(server);
}
