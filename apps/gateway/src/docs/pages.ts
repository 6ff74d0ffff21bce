import { basePathOf } from '../edge/routing/path.js';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A page or an asset, ready to send. */
export interface Page {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Served files of swagger-ui-dist with their media types. */
const swaggerUiAssets = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'oauth2-redirect.html': 'text/html',
  'oauth2-redirect.js': 'text/javascript',
} as const;

/** Paths of the served files of swagger-ui-dist, which the container image includes. */
export const swaggerUiFiles: readonly string[] = Object.keys(swaggerUiAssets).map((name) => join(swaggerUi, name));

const page = (mediaType: string, content: string | Buffer): Page => {
  const bytes = Buffer.from(content);
  return { mediaType, bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` };
};

const html = (title: string, head: string, body: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
${head}
  </head>
  <body>
${body}
  </body>
</html>
`;

const style =
  'body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color:#222}a{color:#1a5fb4}';

/** Returns a page of text and links. */
export const plainPage = (title: string, body: string): Page =>
  page('text/html', html(title, `    <style>${style}</style>`, `<main>\n${body}\n</main>`));

const docsBody = (base: string) => `    <header class="swagger-ui">
      <p><a href="${base}/applications">Your API key and applications</a>: enter the key, or the client ID of an application, under <b>Authorize</b>.</p>
    </header>
    <div id="swagger-ui"></div>
    <script src="${base}/docs/swagger-ui-bundle.js"></script>
    <script src="${base}/docs/start.js"></script>`;

/** Places Authorize above the introduction, which is longer than a screen, and makes it sticky. */
const docsStyle = `body{margin:0}
header p{max-width:1460px;margin:0 auto;padding:12px 20px}
#swagger-ui .swagger-ui>div{display:flex;flex-direction:column}
#swagger-ui .scheme-container{order:-1;position:sticky;top:0;z-index:1;margin:0;padding:12px 0}
#swagger-ui .info{margin:20px 0}
`;

const start = (base: string) => `const docs = SwaggerUIBundle({
  url: '${base}/api/v1/openapi.json',
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  // A stored key would outlive the sign-out
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: 'none',
  oauth2RedirectUrl: location.origin + '${base}/docs/oauth2-redirect.html',
});
docs.initOAuth({ scopes: 'read write', usePkceWithAuthorizationCodeGrant: true });
`;

/**
 * Returns the pages and their assets by path below the base URL. The pages load nothing from other
 * origins.
 */
export function pagesOf(baseUrl: string): ReadonlyMap<string, Page> {
  const base = basePathOf(baseUrl);
  const assets = Object.entries(swaggerUiAssets).map(
    ([name, mediaType]) => [`/docs/${name}`, page(mediaType, readFileSync(join(swaggerUi, name)))] as const,
  );
  const stylesheets = ['swagger-ui.css', 'docs.css']
    .map((name) => `    <link rel="stylesheet" href="${base}/docs/${name}" />`)
    .join('\n');
  return new Map([
    ['/docs', page('text/html', html('Storefront API', stylesheets, docsBody(base)))],
    ['/docs/docs.css', page('text/css', docsStyle)],
    ['/docs/start.js', page('text/javascript', start(base))],
    ...assets,
  ]);
}

const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * Returns the content security policy of the pages: own assets, and requests to the API at the base
 * URL.
 */
export const contentSecurityPolicy = (baseUrl: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'sha256-${styleHash}'`,
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(baseUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
