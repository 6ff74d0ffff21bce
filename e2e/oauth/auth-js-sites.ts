import { type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Application, serve, type Server, setEnvironment } from './oauth-clients.js';
import { baseUrl } from '../support/shop.js';

// Sites to which users sign in with their account of the shop: with Auth.js, and with next-auth 4,
// which uses openid-client 5.

// Imported without types, because these include browser types, which would apply to all files
const untyped = <Module>(name: string): Promise<Module> => import(name) as Promise<Module>;
const { Auth } = await untyped<{ Auth: (request: Request, options: object) => Promise<Response> }>('@auth/core');
// CommonJS compiled from ESM: the default export is nested
const { default: nextAuth } = await untyped<{
  default: { default(request: object, response: ApiResponse, options: object): Promise<void> };
}>('next-auth');

export type Provider = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * Provider as configured in `yukyu30/suzuri-auth-nextjs` and `yuta-hayashi/next-suzuri-starter`,
 * with other URLs.
 */
export const publishedProvider = ({ clientId, clientSecret }: Application): Provider => ({
  id: 'suzuri',
  name: 'SUZURI',
  type: 'oauth',
  authorization: { url: `${baseUrl}/oauth/authorize`, params: { scope: 'read write' } },
  token: `${baseUrl}/oauth/token`,
  clientId,
  clientSecret,
  userinfo: `${baseUrl}/api/v1/user`,
  profile: ({ user }: { readonly user: Readonly<Record<string, unknown>> }) => ({
    id: user['id'],
    name: user['name'],
    email: user['email'],
    image: user['avatarUrl'],
  }),
});

type Values = Readonly<Record<string, unknown>>;

interface Signing {
  readonly token: Values;
  readonly user?: Values | null;
  readonly account?: Values | null;
}

/** Returns options with the callbacks of both repositories. */
const optionsFor = (provider: Provider) => ({
  secret: 'a secret of at least thirty-two characters, of the site',
  providers: [provider],
  session: { strategy: 'jwt' },
  callbacks: {
    jwt: ({ token, user, account }: Signing) => ({
      ...token,
      ...(user && { id: user['id'] }),
      ...(account && { accessToken: account['access_token'] }),
    }),
    session: ({ session, token }: { readonly session: Values; readonly token: Values }) => ({
      ...session,
      user: { ...(session['user'] as Values), id: token['id'] },
      accessToken: token['accessToken'],
    }),
  },
  logger: { error: () => undefined, warn: () => undefined, debug: () => undefined },
});

/** PKCE cookie as in `yukyu30/suzuri-auth-nextjs`; `secure` in production only. */
const cookieOptions = { httpOnly: true, sameSite: 'lax', path: '/', secure: false };
const publishedCookies = { pkceCodeVerifier: { name: 'pkce_code_verifier', options: cookieOptions } };

const headersOf = (request: IncomingMessage): [string, string][] =>
  Object.entries(request.headers).map(([name, value]) => [name, String(value)]);

export const publishedAuthJsSite = (provider: Provider): Promise<Server> => authJsSite(provider, publishedCookies);

export function authJsSite(provider: Provider, cookies = {}): Promise<Server> {
  const options = { ...optionsFor(provider), cookies, basePath: '/api/auth', trustHost: true };
  return serve((request, response) => void respond(request, response));

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request;
    const body = method === 'POST' ? await text(request) : null;
    const init = { method: method!, headers: headersOf(request), body };
    const authResponse = await Auth(new Request(`http://${headers.host}${url}`, init), options);
    for (const [name, value] of authResponse.headers) response.appendHeader(name, value);
    response.writeHead(authResponse.status).end(await authResponse.text());
  }
}

/** Response as Next.js passes it to API routes. */
interface ApiResponse extends ServerResponse {
  status(code: number): ApiResponse;
  json(body: unknown): void;
  send(body: unknown): void;
}
export async function nextAuthSite(provider: Provider): Promise<Server> {
  const site = await serve((request, response) => void respond(request, response as ApiResponse));
  // next-auth reads the URL of the site from the environment at each request
  const restore = setEnvironment({ NEXTAUTH_URL: site.origin });
  return { ...site, close: () => site.close().finally(restore) };

  async function respond(request: IncomingMessage, response: ApiResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, site.origin);
    const nextauth = pathname.replace('/api/auth/', '').split('/');
    const cookies = (request.headers.cookie ?? '').split('; ').map((pair) => pair.split(/=(.*)/s).slice(0, 2));
    const body = Object.fromEntries(new URLSearchParams(await text(request)));
    Object.assign(response, {
      status: (code: number) => Object.assign(response, { statusCode: code }),
      json: (value: unknown) => response.end(JSON.stringify(value)),
      send: (value: unknown) => response.end(typeof value === 'object' ? JSON.stringify(value) : value),
    });
    const query = { ...Object.fromEntries(searchParams), nextauth };
    const decoded = Object.fromEntries(cookies.map(([name, value = '']) => [name!, decodeURIComponent(value)]));
    await nextAuth.default(Object.assign(request, { query, cookies: decoded, body }), response, optionsFor(provider));
  }
}
