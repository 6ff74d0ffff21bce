import { type IncomingMessage, type ServerResponse } from 'node:http';
import * as openid from 'openid-client';
import { Passport } from 'passport';
import type OAuth2Strategy from 'passport-oauth2';
import type { AuthorizationCode } from 'simple-oauth2';
import { projectPath } from '#config';
import { type Browser, browse } from '../../apps/gateway/src/testing/browse.js';
import { authJsSite, nextAuthSite, type Provider, publishedAuthJsSite, publishedProvider } from './auth-js-sites.js';
import { describeInBrowser, startBrowser } from '../support/browser.js';
import {
  type Application,
  decide,
  authorizePath,
  newGrantedApplication,
  userNameOf,
  register,
  serve,
  type Server,
  setEnvironment,
  signedIn,
} from './oauth-clients.js';
import { publicClient } from './oauth-clients.page.js';
import { api, baseUrl, newUsers, operator, type User } from '../support/shop.js';
import { newEndpoint } from '../support/webhooks.js';
import { closedUrl } from '../support/webhook-urls.js';

const redirectUri = 'http://127.0.0.1/callback';
const verifier = 'a-verifier-of-at-least-forty-three-characters-0123';

let developer: User;
let user: User;
let owner: Browser;
let person: Browser;
/** Confidential client, which has a secret. */
let application: Application;
/** Public client, which has no secret. */
let publicApplication: Application;

beforeAll(async () => {
  [developer, user] = (await newUsers(2)) as [User, User];
  [owner, person] = await Promise.all([signedIn(developer), signedIn(user)]);
  application = await register(owner, { name: 'Poster shop', redirectUris: redirectUri });
  publicApplication = await register(owner, { name: 'Poster page', redirectUris: redirectUri, kind: 'public' });
});

/** Returns the path of an authorization request. */
const authorizationPath = (parameters: Record<string, string>, { clientId } = application): string =>
  authorizePath({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'read',
    state: 'xyz',
    ...parameters,
  });

/** Returns an authorization code, to which the user has consented. */
async function newCode(parameters: Record<string, string> = {}, client = application): Promise<string> {
  const back = await decide(person, authorizationPath(parameters, client));
  return back.searchParams.get('code') ?? `no code: ${back.href}`;
}

async function redeem(fields: Record<string, string>, by = application) {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: redirectUri,
      client_id: by.clientId,
      ...(by.clientSecret !== null && { client_secret: by.clientSecret }),
      ...fields,
    }),
  });
  return { status: response.status, body: (await response.json()) as { access_token?: string; error?: string } };
}

const challengeOf = (secret: string): Promise<string> => openid.calculatePKCECodeChallenge(secret);

describe('a third-party client library', () => {
  it.each([
    ['the secret in the form', () => openid.ClientSecretPost(application.clientSecret!), () => application],
    ['no secret', () => openid.None(), () => publicApplication],
  ])('openid-client discovers the endpoints, and gets a token with PKCE and %s', async (_, proof, which) => {
    const configuration = await openid.discovery(new URL(baseUrl), which().clientId, undefined, proof(), {
      algorithm: 'oauth2',
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- a warning only
      execute: [openid.allowInsecureRequests],
    });
    await getsToken(configuration);
  });

  it('openid-client gets a token with HTTP Basic, as docs/clients.md configures it', async () => {
    const { configuration } = await importConfiguration<{ configuration: openid.Configuration }>('openid-client');
    await getsToken(configuration);
  });

  async function getsToken(configuration: openid.Configuration): Promise<void> {
    const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()];
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'read write',
      state: expectedState,
      code_challenge: await challengeOf(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const back = await decide(person, url.href);
    const token = await openid.authorizationCodeGrant(configuration, back, { pkceCodeVerifier, expectedState });
    expect(token).toMatchObject({ token_type: 'bearer', scope: 'read write' });
    const api = new URL(`${baseUrl}/api/v1/user`);
    const read = await openid.fetchProtectedResource(configuration, token.access_token, api, 'GET');
    expect(await read.json()).toMatchObject({ user: { name: user.name } });

    await openid.tokenRevocation(configuration, token.access_token);
    expect(await userNameOf(token.access_token)).toBe(401);
  }

  it('simple-oauth2 gets a token, as docs/clients.md configures it', async () => {
    const { client } = await importConfiguration<{ client: AuthorizationCode }>('simple-oauth2');
    const url = client.authorizeURL({ redirect_uri: redirectUri, scope: ['read', 'write'], state: 'any' });
    const back = await decide(person, url);
    expect(back.searchParams.get('state')).toBe('any');
    const accessToken = await client.getToken({ code: back.searchParams.get('code')!, redirect_uri: redirectUri });
    const token = String(accessToken.token.access_token);
    expect(await userNameOf(token)).toBe(user.name);

    await accessToken.revoke('access_token');
    expect(await userNameOf(token)).toBe(401);
  });

  it.each(['passport-oauth2', 'passport-suzuri'])(
    '%s signs in with PKCE and state, as docs/clients.md configures it',
    async (file) => {
      const site = await passportSite(file);
      try {
        const first = await fetch(`${site.origin}/callback`, { redirect: 'manual' });
        const back = await decide(person, first.headers.get('location')!);
        expect(back.origin).toBe(site.origin);
        const { visitor } = (await (await fetch(back)).json()) as { visitor: Record<string, string> };
        expect(await userNameOf(visitor['accessToken']!)).toBe(user.name);
        if (file === 'passport-suzuri') expect(visitor['name']).toBe(user.name);
      } finally {
        await site.close();
      }
    },
  );

  it.each([
    ['Auth.js', authJsSite],
    ['next-auth 4', nextAuthSite],
  ])('%s signs in, as docs/clients.md configures it, with and without iss', async (_, start) => {
    for (const namesIssuer of [undefined, 'yes'] as const) {
      const redirectUris = 'http://127.0.0.1/api/auth/callback/storefront';
      const client = await register(owner, { name: 'Site', redirectUris, ...(namesIssuer && { namesIssuer }) });
      const { provider } = await importConfiguration<{ provider: Provider }>('auth-js', client);
      const { name } = user;
      expect(await signInToSite(start, provider)).toMatchObject({ user: { name, email: `${name}@example.com` } });
    }
  });
});

describe('a published configuration', () => {
  it.each([
    ['Auth.js', publishedAuthJsSite],
    ['next-auth 4', nextAuthSite],
  ])('of %s signs in, unless the application enables iss', async (_, start) => {
    const registration = { name: 'Site', redirectUris: 'http://127.0.0.1/api/auth/callback/suzuri' };
    const quiet = await register(owner, registration);
    const announcing = await register(owner, { ...registration, namesIssuer: 'yes' });
    const visitor = { name: user.name, email: `${user.name}@example.com`, id: expect.anything() as unknown };
    const session = await signInToSite(start, publishedProvider(quiet));
    expect(session).toMatchObject({ user: visitor });
    expect(await userNameOf((session as { accessToken: string }).accessToken)).toBe(user.name);
    expect(await signInToSite(start, publishedProvider(announcing))).toEqual({});
  });
});

/** Signs in to a site with Auth.js. Returns the session of the site, `{}` for none. */
async function signInToSite(start: (provider: Provider) => Promise<Server>, provider: Provider): Promise<object> {
  const site = await start(provider);
  try {
    const visitor = browse(site.origin);
    const { csrfToken } = JSON.parse((await visitor.open('/api/auth/csrf')).html) as { csrfToken: string };
    const sent = await visitor.send(`/api/auth/signin/${provider.id}`, { csrfToken });
    const back = await decide(person, sent.headers.get('location')!);
    await visitor.open(`${back.pathname}${back.search}`);
    return (JSON.parse((await visitor.open('/api/auth/session')).html) as object | null) ?? {};
  } finally {
    await site.close();
  }
}

let configurations = 0;

/** Imports a module of docs/clients/oauth, which reads its settings from the environment. */
async function importConfiguration<Module>(
  file: string,
  { clientId, clientSecret } = application,
  callbackUrl = '',
): Promise<Module> {
  const settings = {
    STOREFRONT_URL: baseUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret!,
    CALLBACK_URL: callbackUrl,
  };
  const restore = setEnvironment(settings);
  try {
    // Another query in the URL, so that the module is not from the module cache
    return (await import(`${projectPath('docs/clients/oauth', `${file}.mjs`)}?${(configurations += 1)}`)) as Module;
  } finally {
    restore();
  }
}

/** Starts a site with passport. All its requests share one session. */
async function passportSite(file: string): Promise<Server> {
  const session = {};
  const passport = new Passport();
  const site = await serve((request: IncomingMessage, response: ServerResponse) => {
    const query = Object.fromEntries(new URL(request.url!, baseUrl).searchParams);
    const signIn = passport.authenticate('shop', { session: false }, (error: Error | null, visitor: unknown) => {
      response.end(JSON.stringify(error ? { error: error.message } : { visitor }));
    }) as (...parameters: unknown[]) => void;
    signIn(Object.assign(request, { query, session }), response);
  });
  // A loopback redirect URI may have any port
  const callback = `${site.origin}/callback`;
  const { strategy } = await importConfiguration<{ strategy: OAuth2Strategy }>(file, application, callback);
  passport.use('shop', strategy);
  return site;
}

describeInBrowser('a static page of another origin', () => {
  it('gets a token with PKCE and CORS in a browser', async () => {
    const browser = await startBrowser();
    const window = await browser.open({ width: 360, script: true });
    const { page } = window;
    const site = await serve((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(publicClient(baseUrl, publicApplication.clientId));
    });
    try {
      await page.goto(`${site.origin}/callback`);
      await page.locator('input[name=login]').fill(user.name);
      await page.locator('input[name=password]').fill('a long password');
      await page.locator('main button[type=submit]').click();
      await page.waitForURL((url) => url.pathname === '/oauth/authorize' || url.origin === site.origin);
      if (page.url().startsWith(baseUrl)) await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.waitForURL(`${site.origin}/**`);
      await page.locator('h1').waitFor();
      expect(await page.locator('h1').textContent()).toBe(`Hello ${user.name}`);
      expect(window.takeErrors()).toEqual([]);
    } finally {
      await Promise.all([browser.close(), site.close()]);
    }
  });
});

describe('a code', () => {
  it('yields one token for twenty concurrent redemptions, which the others revoke', async () => {
    const code = await newCode();
    const responses = await Promise.all(Array.from({ length: 20 }, () => redeem({ code })));
    const tokens = responses.flatMap(({ body }) => (body.access_token === undefined ? [] : [body.access_token]));
    expect(tokens).toHaveLength(1);
    const rejected = responses.filter(({ status, body }) => status === 400 && body.error === 'invalid_grant');
    expect(rejected).toHaveLength(19);
    for (const token of tokens) expect(await userNameOf(token)).toBe(401);
  });

  it('that is redeemed again revokes its token immediately', async () => {
    const code = await newCode();
    const { access_token = 'none' } = (await redeem({ code })).body;
    expect(await userNameOf(access_token)).toBe(user.name);
    expect(await redeem({ code })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await userNameOf(access_token)).toBe(401);
  });

  it('is rejected without the verifier', async () => {
    const code_challenge = await challengeOf(verifier);
    for (const client of [application, publicApplication])
      for (const wrong of [
        { code_verifier: `${verifier}x` },
        { code_verifier: code_challenge },
        {} as Record<string, string>,
      ]) {
        const code = await newCode({ code_challenge, code_challenge_method: 'S256' }, client);
        const { status, body } = await redeem({ code, ...wrong }, client);
        expect([wrong, status, body.access_token]).toEqual([wrong, 400, undefined]);
      }
  });

  it('is rejected for another client or redirect URI', async () => {
    const code_challenge = await challengeOf(verifier);
    const code = await newCode({ code_challenge, code_challenge_method: 'S256' });
    const mine = { code, code_verifier: verifier };
    expect(await redeem(mine, publicApplication)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const elsewhere = await newCode();
    expect(await redeem({ code: elsewhere, redirect_uri: `${redirectUri}/` })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('requires the secret of a confidential client, also with a valid verifier', async () => {
    const challenge = { code_challenge: await challengeOf(verifier), code_challenge_method: 'S256' };
    const without = { ...application, clientSecret: null };
    const response = await redeem({ code: await newCode(challenge), code_verifier: verifier }, without);
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    const wrong = { ...application, clientSecret: 'wrong' };
    expect(await redeem({ code: await newCode() }, wrong)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });
});

describe('an access token of an application', () => {
  const statusOf = async (token: string, method: string, path: string, body?: object) => {
    const { status, body: problem } = await api(method, path, { token, ...(body && { body }) });
    return [status, problem?.code];
  };

  it('reads events, but manages no webhook endpoints, even of the own account of the developer', async () => {
    const endpoint = `/webhook_endpoints/${await newEndpoint(developer)}`;
    const { token } = await newGrantedApplication(owner, owner, 'read write');
    const denied = [403, 'application.not-allowed'];
    expect(await statusOf(token, 'POST', '/webhook_endpoints', { url: closedUrl, applicationId: null })).toEqual(
      denied,
    );
    expect(await statusOf(token, 'GET', '/webhook_endpoints')).toEqual(denied);
    expect(await statusOf(token, 'PUT', endpoint, { url: closedUrl })).toEqual(denied);
    expect(await statusOf(token, 'POST', `${endpoint}/secret`)).toEqual(denied);
    expect(await statusOf(token, 'GET', '/events')).toEqual([200, undefined]);
    const { token: readOnly } = await newGrantedApplication(owner, person, 'read');
    expect(await statusOf(readOnly, 'GET', '/webhook_endpoints')).toEqual(denied);
    expect(await statusOf(readOnly, 'GET', '/events')).toEqual([200, undefined]);
  });

  it('is rejected where the personal key and a token of the operator are accepted', async () => {
    const { token } = await operator('token', 'create', '--user', developer.name, '--scope', 'read write');
    for (const accepted of [developer.apiKey, token]) {
      expect(await statusOf(accepted, 'POST', '/webhook_endpoints', { url: closedUrl })).toEqual([201, undefined]);
      expect(await statusOf(accepted, 'GET', '/webhook_endpoints')).toEqual([200, undefined]);
    }
  });
});
