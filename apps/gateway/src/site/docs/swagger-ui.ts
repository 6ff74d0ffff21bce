import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A file of Swagger UI, ready to send. */
interface SwaggerUiFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Served files of swagger-ui-dist with their media types. */
const mediaTypes = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'oauth2-redirect.html': 'text/html',
  'oauth2-redirect.js': 'text/javascript',
} as const;

/** Paths of the served files of swagger-ui-dist, which the container image includes. */
export const swaggerUiFiles: readonly string[] = Object.keys(mediaTypes).map((name) => join(folder, name));

/** Reads the served files, by name. */
export const readSwaggerUi = (): ReadonlyMap<string, SwaggerUiFile> =>
  new Map(
    Object.entries(mediaTypes).map(([name, mediaType]) => {
      const bytes = readFileSync(join(folder, name));
      return [name, { mediaType, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }];
    }),
  );
