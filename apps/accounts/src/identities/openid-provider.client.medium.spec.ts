import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AccountsEnv } from '../env.js';
import { generateSignInState, OpenIdProviderClient } from './openid-provider.client.js';
import { problemWith } from './testing/identity-stack.js';
import { client } from './testing/openid-client.js';
import { type Tampering, type TamperingProvider, tamperingProvider } from './testing/tampering-provider.js';

let mallory: TamperingProvider;
/** Client, created before each test, so that no configuration is cached. */
let openid: OpenIdProviderClient;

function newClient(): OpenIdProviderClient {
  const provider = { name: 'mallory', label: 'Mallory', issuer: mallory.issuer };
  const OIDC_PROVIDERS = [{ ...provider, clientId: client.id, clientSecret: client.secret }];
  return new OpenIdProviderClient({ BASE_URL: 'https://shop.example.com', OIDC_PROVIDERS } as AccountsEnv);
}
const findMallory = () => openid.find('mallory');
const authorizationUrl = () => openid.authorizationUrl(findMallory(), generateSignInState());

/** Finishes a sign-in at a provider that tampers after the redirect. */
async function signInWith(tampering: Tampering) {
  const state = generateSignInState();
  const callback = mallory.callbackParameters(await openid.authorizationUrl(findMallory(), state));
  mallory.tampering = tampering;
  return openid.fetchProfile(findMallory(), callback, state);
}

beforeAll(async () => {
  Logger.overrideLogger(false);
  mallory = await tamperingProvider();
});
afterAll(() => mallory.close());
beforeEach(() => {
  mallory.tampering = {};
  mallory.requests.length = 0;
  openid = newClient();
});

describe('an ID token', () => {
  it('is accepted when it is valid', async () => {
    expect(await signInWith({})).toMatchObject({ uid: 'mallory', email: null });
    expect(await signInWith({ claims: { aud: [client.id] } })).toMatchObject({ uid: 'mallory' });
  });

  it.each<[string, Tampering]>([
    ['of another issuer', { claims: { iss: 'https://evil.example.com' } }],
    ['for another client', { claims: { aud: 'another' } }],
    ['for several clients, issued to another', { claims: { aud: [client.id, 'another'], azp: 'another' } }],
    ['with another nonce', { claims: { nonce: 'another' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['that has expired', { claims: { exp: 1_000_000_000 } }],
    ['with a foreign signature', { signature: 'foreign' }],
    ['that is not signed', { signature: 'none' }],
    ['without a sub', { claims: { sub: undefined } }],
    ['with an unusable sub', { claims: { sub: 'a\u0000b' } }],
  ])('is rejected when it is one %s', async (_, tampering) => {
    await expect(signInWith(tampering)).rejects.toMatchObject(problemWith('identity.refused'));
  });

  it('is requested with HTTP Basic, or with a secret in the form if the provider supports nothing else', async () => {
    await signInWith({});
    expect(mallory.credentials).toEqual({ basic: true, form: false });
    openid = newClient();
    mallory.tampering = { discovered: { token_endpoint_auth_methods_supported: ['client_secret_post'] } };
    await signInWith({});
    expect(mallory.credentials).toEqual({ basic: false, form: true });
  });
});

describe('a provider', () => {
  const unavailable = problemWith('identity.provider-away');
  const status = (value: number, headers = {}): Tampering => ({
    respond: (response) => !!response.writeHead(value, headers).end(),
  });

  it.each<[string, Tampering]>([
    ['responds with 500', status(500)],
    ['redirects', status(302, { location: 'http://127.0.0.1:1/' })],
    ['closes the connection', { respond: (response) => !!response.destroy() }],
    ['sends more than the size limit', { discovered: { more: ' '.repeat(300 * 1_024) } }],
    ['names another issuer', { discovered: { issuer: 'https://evil.example.com' } }],
  ])('is reported as unavailable when it %s, and is requested again the next time', async (_, tampering) => {
    mallory.tampering = tampering;
    await expect(authorizationUrl()).rejects.toMatchObject(unavailable);
    mallory.tampering = {};
    expect(await authorizationUrl()).toContain(`${mallory.issuer}/auth?`);
  });

  it('is unavailable after a timeout of four seconds, which this test shortens to forty milliseconds', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const limit = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100));
    mallory.tampering = { respond: () => true };
    await expect(authorizationUrl()).rejects.toMatchObject(unavailable);
    expect(limit.mock.calls).toEqual([[4_000]]);
    limit.mockRestore();
  });

  it('is discovered once', async () => {
    await Promise.all([authorizationUrl(), authorizationUrl()]);
    await authorizationUrl();
    expect(mallory.requests).toEqual(['/.well-known/openid-configuration']);
  });

  it('is reported as unavailable when it fails during the callback', async () => {
    const broken: Tampering = { respond: (response, path) => path === '/token' && !!response.destroy() };
    await expect(signInWith(broken)).rejects.toMatchObject(unavailable);
  });
});
