import compress from '@fastify/compress';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { constants } from 'node:zlib';
import { imagePath } from '#contracts';
import { answerConditionally } from './entity-tag.js';

type OnSend = (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done) => void;
type Done = (error: null, payload: unknown) => void;

/** Compresses what is over 1 KB and no picture, and answers conditional requests by what would be sent. */
export async function registerCompression(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!request.routeOptions.url?.startsWith(imagePath)) varyByEncoding(reply);
    done(null, payload);
  });
  await app.register(compress as never, {
    global: true,
    // A compressed body would be unpacked without a limit of its own
    globalDecompression: false,
    threshold: 1024,
    encodings: ['br', 'gzip', 'identity'],
    // Quality 11, the default, costs 50 times the time of 4 for a tenth of the bytes
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
  server.addHook('onRoute', (route: RouteOptions) => {
    const hooks = [route.onSend ?? []].flat() as OnSend[];
    // Fastify's own hook, which drops the body of HEAD, comes first: nothing would be left to compress, and HEAD would
    // answer other headers than GET
    if (route.method === 'HEAD') hooks.push(hooks.shift()!);
    hooks.push((request, reply, payload, done) => done(null, answerConditionally(request, reply, payload)));
    route.onSend = hooks;
  });
}

/** In the spelling that the compression looks for. */
function varyByEncoding(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  void reply.header('vary', others === undefined ? 'accept-encoding' : `${String(others)}, accept-encoding`);
}
