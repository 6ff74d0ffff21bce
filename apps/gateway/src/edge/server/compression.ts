import { promisify } from 'node:util';
import { Negotiator } from '@fastify/accept-negotiator';
import compress from '@fastify/compress';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Cache } from '#cache';
import { imagePath } from '#contracts';
import type { CachedBody } from '#request-queue';
import { answerConditionally } from '../headers/entity-tag.js';

type OnSend = (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done) => void;
type Done = (error: null, payload: unknown) => void;

const threshold = 1_024;
/** Quality 11, the default, costs 50 times the time of 4 for a tenth of the bytes. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, brotli),
  gzip: promisify(gzip),
};
const negotiator = new Negotiator({ supportedValues: [...Object.keys(encoders), 'identity'] });
/** The coding for each `Accept-Encoding`, which may have 16 KB. */
const codings = new Cache<string | null>({ name: 'accept-encoding', maxBytes: 512 * 1024, bytesOf: () => 16 });

/** Sends a cached body in the coding that the client prefers. Encoded bytes are cached with it. */
export async function sendCached(reply: FastifyReply, { body, encoded }: CachedBody): Promise<void> {
  const { 'accept-encoding': accepted, 'x-no-compression': plain } = reply.request.headers;
  const wants = accepted === undefined || plain !== undefined || body.length < threshold ? null : codingOf(accepted);
  const encode = wants === null ? undefined : encoders[wants];
  if (wants === null || !encode) {
    void reply.send(body);
    return;
  }
  let bytes = encoded.get(wants);
  if (!bytes) {
    encoded.set(wants, (bytes = encode(body)));
    bytes.catch(() => encoded.delete(wants));
  }
  const coded = await bytes;
  void reply.header('content-encoding', wants).send(coded);
}

/** As the compression below reads the header. */
const codingOf = (accepted: string): string | null =>
  codings.memo(accepted, () => negotiator.negotiate(accepted.toLowerCase().replace(/\*|x-gzip/g, 'gzip')));

/** Compresses what is over 1 KB and no image, and answers conditional requests by what would be sent. */
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
    threshold,
    encodings: ['br', 'gzip', 'identity'],
    brotliOptions: brotli,
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
