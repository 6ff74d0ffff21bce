import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { AdmittedAs } from '../admission/admission.js';
import { textureLimit } from './data-uri.js';
import { maxFormBytes, parametersOf } from './form-body.js';
import { bodyTimedOut, rejectEncoded } from './json-body.js';

/** Limit of a field of a form with a file: a description of 10,000 characters in UTF-8. */
const maxFieldBytes = 40_000;
const maxFields = 150;

/**
 * Declares that the form of a route may have a file (`multipart/form-data`), and admits it as an
 * upload.
 */
export const AcceptsUpload = (): MethodDecorator => AdmittedAs('uploads', { acceptsUpload: true });

const files = new WeakMap<FastifyRequest, Readable>();

/**
 * Returns the stream of the file of a form; undefined if the user selected none. It is truncated
 * after one byte more than a texture may have.
 */
export const fileOf = (request: FastifyRequest): Readable | undefined => files.get(request);

/**
 * Reads the fields of a form up to its file, which is the last part and is read by the handler, so
 * that the CSRF token and the session are checked before.
 *
 * @param timeoutMs for the fields, because the time for the file depends on its announced size
 * @throws DomainError 400, 408, 413, 415
 */
export async function readUploadForm(
  request: FastifyRequest,
  bytes: IncomingMessage,
  timeoutMs: number,
): Promise<OAuthParameters> {
  const { acceptsUpload } = request.routeOptions.config as { acceptsUpload?: boolean };
  if (acceptsUpload !== true)
    throw new DomainError(problems['request.unsupported-media-type'], 'This path accepts no multipart/form-data.');
  rejectEncoded(request);
  const pairs: [string, string][] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const parser = parserOf(request);
    const fail = (error: DomainError): void => {
      clearTimeout(timer);
      bytes.unpipe(parser).resume();
      files.get(request)?.destroy(error);
      reject(error);
    };
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => fail(bodyTimedOut()), timeoutMs).unref();
    parser
      .on('field', (name, value, nameTruncated, valueTruncated) => {
        length += Buffer.byteLength(name) + Buffer.byteLength(value);
        if (nameTruncated || valueTruncated || length > maxFormBytes) fail(tooLarge());
        else pairs.push([name, value]);
      })
      .on('file', (_, stream, name) => {
        // Browsers send an empty part without a name if no file is selected
        if (name) files.set(request, stream);
        else stream.resume();
        bytes.once('close', () => {
          if (!request.raw.complete) stream.destroy(new Error('the client disconnected'));
        });
        end();
      })
      .on('fieldsLimit', () => fail(tooLarge()))
      .on('partsLimit', () => fail(tooLarge()))
      .on('finish', end)
      .on('error', () => fail(malformed()));
    bytes.pipe(parser);
  });
  return parametersOf(pairs);
}

function parserOf({ headers }: FastifyRequest): BusboyInstance {
  const limits = {
    fieldSize: maxFieldBytes,
    fields: maxFields,
    files: 1,
    fileSize: textureLimit + 1,
    headerPairs: 20,
  };
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits });
  } catch {
    throw malformed();
  }
}

const malformed = (): DomainError => new DomainError(problems['request.invalid'], 'The form is malformed.');
const tooLarge = (): DomainError =>
  new DomainError(problems['request.too-large'], 'The fields of the form are too large.');
