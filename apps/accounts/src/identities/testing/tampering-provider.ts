import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { client } from './openid-client.js';

/** EC keys, because RSA key pairs take 0.2 s each; `openIdProvider` covers RSA. */
const generateKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Changes of the provider's responses. */
export interface Tampering {
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signature with another key, or none. */
  readonly signature?: 'foreign' | 'none';
  readonly discovered?: Readonly<Record<string, unknown>>;
  /** Responds instead of the provider. Returns false if the provider has to respond. */
  readonly respond?: (response: ServerResponse, path: string) => boolean;
}

export interface TamperingProvider {
  readonly issuer: string;
  tampering: Tampering;
  /** Paths of the requests, in order. */
  readonly requests: string[];
  /** Client authentication of the last token request. */
  readonly credentials: { readonly basic: boolean; readonly form: boolean };
  /** Returns the callback parameters for an authorization URL, without a request. */
  callbackParameters(address: string): Record<string, string>;
  close(): Promise<void>;
}

/**
 * Provider with real tokens (ES256) and responses that a test tampers with. Every user is
 * `mallory`.
 */
export async function tamperingProvider(): Promise<TamperingProvider> {
  const ownKeys = generateKeys();
  const foreignKeys = generateKeys();
  const requests: string[] = [];
  let nonce: string | null = null;
  let credentials = { basic: false, form: false };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.split('?', 1)[0]!;
    requests.push(path);
    const form = new URLSearchParams(await text(request));
    const basic = `Basic ${Buffer.from(`${client.id}:${encodeURIComponent(client.secret).replace(/%20/g, '+')}`).toString('base64')}`;
    if (path === '/token')
      credentials = {
        basic: request.headers.authorization === basic,
        form: form.get('client_secret') === client.secret,
      };
    if (it.tampering.respond?.(response, path)) return;
    const json: Record<string, () => object> = {
      '/.well-known/openid-configuration': () => ({
        issuer: it.issuer,
        jwks_uri: `${it.issuer}/jwks`,
        token_endpoint: `${it.issuer}/token`,
        authorization_endpoint: `${it.issuer}/auth`,
        authorization_response_iss_parameter_supported: true,
        id_token_signing_alg_values_supported: ['ES256'],
        ...it.tampering.discovered,
      }),
      '/jwks': () => ({
        keys: [{ ...ownKeys.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'ES256', use: 'sig' }],
      }),
      '/token': () => ({ access_token: 'a', token_type: 'Bearer', id_token: idToken() }),
    };
    const body = json[path]?.();
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  };
  const idToken = (): string => {
    const now = Math.floor(Date.now() / 1_000);
    const { claims, signature } = it.tampering;
    const payload = { iss: it.issuer, aud: client.id, sub: 'mallory', nonce, iat: now, exp: now + 60, ...claims };
    if (signature === 'none') return `${encodePart({ alg: 'none' })}.${encodePart(payload)}.`;
    return signToken(payload, signature === 'foreign' ? foreignKeys.privateKey : ownKeys.privateKey);
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const it: TamperingProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tampering: {},
    requests,
    get credentials() {
      return credentials;
    },
    callbackParameters(address) {
      const { searchParams } = new URL(address);
      nonce = searchParams.get('nonce');
      return { code: 'c', state: searchParams.get('state')!, iss: it.issuer };
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return it;
}

const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signToken(claims: object, key: KeyObject): string {
  const content = `${encodePart({ alg: 'ES256', kid: 'own' })}.${encodePart(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
