import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AccountsEnv } from '../env.js';
import { freshProof, OpenIdProviderClient } from './openid-provider.client.js';
import { code } from './testing/identity-stack.js';
import { client } from './testing/openid-client.js';
import { type Tampering, type TamperingProvider, tamperingProvider } from './testing/tampering-provider.js';

let mallory: TamperingProvider;
/** That has asked nobody anything yet. */
let providers: OpenIdProviderClient;

function freshProviders(): OpenIdProviderClient {
  const provider = { name: 'mallory', label: 'Mallory', issuer: mallory.issuer };
  const OIDC_PROVIDERS = [{ ...provider, clientId: client.id, clientSecret: client.secret }];
  return new OpenIdProviderClient({ BASE_URL: 'https://shop.example.com', OIDC_PROVIDERS } as AccountsEnv);
}
const named = () => providers.named('mallory');
const address = () => providers.address(named(), freshProof());

/** Who comes back from the provider, which tampers once the browser is on its way there. */
async function arriveWith(tampering: Tampering) {
  const proof = freshProof();
  const back = mallory.back(await providers.address(named(), proof));
  mallory.tampering = tampering;
  return providers.person(named(), back, proof);
}

beforeAll(async () => {
  Logger.overrideLogger(false);
  mallory = await tamperingProvider();
});
afterAll(() => mallory.close());
beforeEach(() => {
  mallory.tampering = {};
  mallory.asked.length = 0;
  providers = freshProviders();
});

describe('an ID token', () => {
  it('is taken when nothing is wrong with it', async () => {
    expect(await arriveWith({})).toMatchObject({ uid: 'mallory', email: null });
    expect(await arriveWith({ claims: { aud: [client.id] } })).toMatchObject({ uid: 'mallory' });
  });

  it.each<[string, Tampering]>([
    ['of another issuer', { claims: { iss: 'https://evil.example.com' } }],
    ['for another client', { claims: { aud: 'another' } }],
    ['for several, given to another', { claims: { aud: [client.id, 'another'], azp: 'another' } }],
    ['with another nonce', { claims: { nonce: 'another' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['that has expired', { claims: { exp: 1_000_000_000 } }],
    ['that is signed by somebody else', { signature: 'foreign' }],
    ['that is not signed', { signature: 'none' }],
    ['without a sub', { claims: { sub: undefined } }],
    ['with a sub that cannot be kept', { claims: { sub: 'a\u0000b' } }],
  ])('is refused: one %s', async (_, tampering) => {
    await expect(arriveWith(tampering)).rejects.toMatchObject(code('identity.refused'));
  });

  it('is asked for by HTTP Basic, or in the form where the provider takes nothing else', async () => {
    await arriveWith({});
    expect(mallory.credentials).toEqual({ basic: true, form: false });
    providers = freshProviders();
    mallory.tampering = { discovered: { token_endpoint_auth_methods_supported: ['client_secret_post'] } };
    await arriveWith({});
    expect(mallory.credentials).toEqual({ basic: false, form: true });
  });
});

describe('a provider that does not answer as it should', () => {
  const away = code('identity.provider-away');
  const status = (value: number, headers = {}): Tampering => ({
    answer: (response) => !!response.writeHead(value, headers).end(),
  });

  it.each<[string, Tampering]>([
    ['is broken', status(500)],
    ['leads elsewhere', status(302, { location: 'http://127.0.0.1:1/' })],
    ['hangs up', { answer: (response) => !!response.destroy() }],
    ['says too much', { discovered: { more: ' '.repeat(300 * 1_024) } }],
    ['says that it is somebody else', { discovered: { issuer: 'https://evil.example.com' } }],
  ])('is said to be away when it %s, and is asked again the next time', async (_, tampering) => {
    mallory.tampering = tampering;
    await expect(address()).rejects.toMatchObject(away);
    mallory.tampering = {};
    expect(await address()).toContain(`${mallory.issuer}/auth?`);
  });

  it('is waited for four seconds, which this test makes forty milliseconds', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const limit = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100));
    mallory.tampering = { answer: () => true };
    await expect(address()).rejects.toMatchObject(away);
    expect(limit.mock.calls).toEqual([[4_000]]);
    limit.mockRestore();
  });

  it('is asked what it is once', async () => {
    await Promise.all([address(), address()]);
    await address();
    expect(mallory.asked).toEqual(['/.well-known/openid-configuration']);
  });

  it('is said to be away when it fails in the middle, which is not the fault of who signs in', async () => {
    const broken: Tampering = { answer: (response, path) => path === '/token' && !!response.destroy() };
    await expect(arriveWith(broken)).rejects.toMatchObject(away);
  });
});
