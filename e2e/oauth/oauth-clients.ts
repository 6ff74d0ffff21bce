import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Browser, browse, type Opened } from '../../apps/gateway/src/testing/browse.js';
import { api, baseUrl } from '../support/shop.js';

// Helpers for tests of OAuth clients: registration, sign-in, consent, and a server for redirects.

export interface Application {
  readonly id: number;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
}

/** Signs a user in. Returns a browser, which runs no scripts. */
export async function signedIn({ name }: { readonly name: string }, password = 'a long password'): Promise<Browser> {
  const person = browse(baseUrl);
  const { csrf } = await person.open('/sign-in');
  const { status } = await person.send('/sign-in', { csrf, login: name, password, to: '/account' });
  if (status !== 303) throw new Error(`${name} could not sign in: ${status}`);
  return person;
}

interface Registration {
  readonly name: string;
  readonly redirectUris: string;
  readonly description?: string;
  readonly homePage?: string;
  readonly kind?: 'confidential' | 'public';
  /** `yes`: authorization responses have the parameter `iss` (RFC 9207). */
  readonly namesIssuer?: 'yes';
}

/** Registers an application with the scopes read and write, with the form of the shop. */
export async function register(developer: Browser, fields: Registration): Promise<Application> {
  const { csrf } = await developer.open('/applications/new');
  const form = { description: '', homePage: '', kind: 'confidential', ...fields };
  const sent = await developer.send('/applications/new', { csrf, write: 'yes', ...form });
  const id = Number(/\/applications\/(\d+)[?"]/.exec(sent.headers.get('location') ?? sent.html)?.[1]);
  const { html } = await developer.open(`/applications/${id}`);
  const clientId = /<code[^>]*>([\w-]+)<\/code>/.exec(html)?.[1];
  if (clientId === undefined) throw new Error(`not registered: ${sent.status} ${sent.html.slice(0, 2_000)}`);
  return { id, clientId, clientSecret: /id="clientSecret" value="([^"]+)"/.exec(sent.html)?.[1] ?? null };
}

/** Returns the path of an authorization request. */
export const authorizePath = (parameters: Readonly<Record<string, string>>): string =>
  `/oauth/authorize?${new URLSearchParams(parameters).toString()}`;

/** Returns path and query of a URL of the site. */
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url, baseUrl);
  return `${pathname}${search}`;
};

const unescaped = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** Returns the target of a redirect, in the header Location or in a meta refresh. */
function redirectOf({ headers, html }: Opened): string | undefined {
  const refresh = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(html)?.[1];
  return headers.get('location') ?? (refresh === undefined ? undefined : unescaped(refresh));
}

/**
 * Opens an authorization URL, and submits the decision if the consent form is shown.
 *
 * @returns redirect to the application
 */
export async function decide(person: Browser, authorizationUrl: string, decision = 'allow'): Promise<URL> {
  const path = pathOf(authorizationUrl);
  const opened = await person.open(path);
  const back = redirectOf(opened) ?? redirectOf(await person.send(path, { csrf: opened.csrf, decision }));
  if (back === undefined)
    throw new Error(`no redirect to the application: ${opened.status} ${opened.html.slice(0, 2_000)}`);
  return new URL(back, baseUrl);
}

/** Application with an access token that a user has granted to it. */
interface GrantedApplication extends Application {
  readonly token: string;
}

/** Registers an application of a developer, to which a user grants a token. */
export async function newGrantedApplication(
  developer: Browser,
  person: Browser,
  scope: string,
): Promise<GrantedApplication> {
  const redirectUri = 'https://posters.example.com/callback';
  const application = await register(developer, { name: 'Poster shop', redirectUris: redirectUri });
  const { clientId, clientSecret } = application;
  const link = authorizePath({ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope });
  const code = (await decide(person, link)).searchParams.get('code')!;
  const form = { grant_type: 'authorization_code', redirect_uri: redirectUri, client_id: clientId, code };
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...form, client_secret: clientSecret! }),
  });
  const { access_token: token, scope: granted } = (await response.json()) as { access_token: string; scope: string };
  if (granted !== scope) throw new Error(`${scope} was not granted: ${response.status} ${granted}`);
  return { ...application, token };
}

export interface Server {
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts a web server on loopback. */
export async function serve(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sets environment variables. Returns a function that restores them. */
export function setEnvironment(values: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  };
}

/** Returns the name of the user of a token; the status of the response if it is not 200. */
export async function userNameOf(token: string): Promise<unknown> {
  const { status, body } = await api('GET', '/user', { token });
  return status === 200 ? body.user.name : status;
}
