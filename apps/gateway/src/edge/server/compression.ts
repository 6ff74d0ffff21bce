import { promisify } from 'node:util';
import { Negotiator } from '@fastify/accept-negotiator';
import compress from '@fastify/compress';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Cache } from '#cache';
import { imagePath } from '#contracts';
import type { CachedBody } from '#request-queue';
import { CachedResponses } from '../cached-responses/cached-responses.js';
import { applyConditional, tagCoding } from '../headers/entity-tag.js';

type OnSend = (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done) => void;
type Done = (error: null, payload: unknown) => void;

const threshold = 1_024;
/**
 * Quality 4 instead of the default 11, which takes 50 times as long and saves a tenth of the bytes.
 */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, brotli),
  gzip: promisify(gzip),
};
const negotiator = new Negotiator({ supportedValues: [...Object.keys(encoders), 'identity'] });
/** Negotiated encodings by `Accept-Encoding`. Limited by bytes, because a header may have 16 KB. */
const codings = new Cache<string | null>({ name: 'accept-encoding', maxBytes: 512 * 1024, bytesOf: () => 16 });

/**
 * Sends a cached body in the encoding that the client prefers, or unencoded if it is smaller than
 * `threshold` or the request has the header `x-no-compression`. The encoded bytes are cached with
 * the body.
 */
export async function sendCached(reply: FastifyReply, cached: CachedBody): Promise<void> {
  const { body } = cached;
  const { 'accept-encoding': accepted, 'x-no-compression': noCompression } = reply.request.headers;
  const coding =
    accepted === undefined || noCompression !== undefined || body.length < threshold ? null : codingOf(accepted);
  const encode = coding === null ? undefined : encoders[coding];
  if (coding === null || !encode) {
    void reply.send(body);
    return;
  }
  const coded = await cached.encodedAs(coding, encode);
  void reply.header('content-encoding', coding).send(coded);
}

/** Returns the encoding, negotiated as by the compression plugin. */
const codingOf = (accepted: string): string | null =>
  codings.memo(accepted, () => negotiator.negotiate(accepted.toLowerCase().replace(/\*|x-gzip/g, 'gzip')));

/**
 * Registers compression of responses of at least 1 KB other than product images, conditional
 * requests, which compare the entity tags of compressed bytes, too, and the cache of responses.
 */
export async function registerCompression(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  const responses = app.get(CachedResponses);
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!request.routeOptions.url?.startsWith(imagePath)) varyByEncoding(reply);
    done(null, payload);
  });
  await app.register(compress as never, {
    global: true,
    // Compressed bodies would be decompressed without a limit
    globalDecompression: false,
    threshold,
    encodings: ['br', 'gzip', 'identity'],
    brotliOptions: brotli,
  });
  server.addHook('onRoute', (route: RouteOptions) => {
    const hooks = [route.onSend ?? []].flat() as OnSend[];
    // Moves Fastify's hook that drops the body of HEAD behind the compression, because otherwise
    // nothing would be compressed, and HEAD would have other headers than GET
    if (route.method === 'HEAD') hooks.push(hooks.shift()!);
    hooks.push((request, reply, payload, done) => {
      const etags = tagCoding(reply);
      responses.store(request, reply, etags, payload);
      done(null, applyConditional(request, reply, etags, payload));
    });
    route.onSend = hooks;
  });
}

/**
 * Adds accept-encoding to `Vary`, in lower case: the compression plugin searches for this spelling,
 * and would otherwise add it again.
 */
function varyByEncoding(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  void reply.header('vary', others === undefined ? 'accept-encoding' : `${String(others)}, accept-encoding`);
}
