import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { client } from './openid-client.js';

/** Those of RSA take 0.2 s each; the other provider signs with one. */
const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** What can be wrong with an answer. */
export interface Tampering {
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signed by somebody else, or by nobody. */
  readonly signature?: 'foreign' | 'none';
  readonly discovered?: Readonly<Record<string, unknown>>;
  /** Instead of what the path answers. */
  readonly answer?: (response: ServerResponse, path: string) => boolean;
}

export interface TamperingProvider {
  readonly issuer: string;
  tampering: Tampering;
  /** What it has been asked for, in order. */
  readonly asked: string[];
  /** How the shop has proved at last that it is the shop. */
  readonly credentials: { readonly basic: boolean; readonly form: boolean };
  /** What the browser brings back from the address. */
  back(address: string): Record<string, string>;
  close(): Promise<void>;
}

/** A provider with real tokens (ES256) that answers as the test wants it to. Everybody there is `mallory`. */
export async function tamperingProvider(): Promise<TamperingProvider> {
  const own = pair();
  const foreign = pair();
  const asked: string[] = [];
  let nonce: string | null = null;
  let proved = { basic: false, form: false };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.split('?', 1)[0]!;
    asked.push(path);
    const form = new URLSearchParams(await text(request));
    const basic = `Basic ${Buffer.from(`${client.id}:${encodeURIComponent(client.secret).replace(/%20/g, '+')}`).toString('base64')}`;
    if (path === '/token')
      proved = { basic: request.headers.authorization === basic, form: form.get('client_secret') === client.secret };
    if (it.tampering.answer?.(response, path)) return;
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
      '/jwks': () => ({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'ES256', use: 'sig' }] }),
      '/token': () => ({ access_token: 'a', token_type: 'Bearer', id_token: idToken() }),
    };
    const body = json[path]?.();
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  };
  const idToken = (): string => {
    const now = Math.floor(Date.now() / 1_000);
    const { claims, signature } = it.tampering;
    const said = { iss: it.issuer, aud: client.id, sub: 'mallory', nonce, iat: now, exp: now + 60, ...claims };
    if (signature === 'none') return `${part({ alg: 'none' })}.${part(said)}.`;
    return signed(said, signature === 'foreign' ? foreign.privateKey : own.privateKey);
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const it: TamperingProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tampering: {},
    asked,
    get credentials() {
      return proved;
    },
    back(address) {
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

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(claims: object, key: KeyObject): string {
  const content = `${part({ alg: 'ES256', kid: 'own' })}.${part(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
