import { Injectable, Logger } from '@nestjs/common';
import * as openid from 'openid-client';
import { Cache } from '#cache';
import { DomainError } from '#kernel';
import { AccountsEnv } from '../env.js';
import { providerAway, providerUnknown, refusedBy } from './identity.errors.js';
import { type Claims, type Person, personOf } from './identity.rules.js';
import type { Provider } from './provider.schema.js';

/** What ties an answer of a provider to the question. Each is random, and used once. */
interface Proof {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Seconds for one answer. The end of a sign-in needs up to four, and has 20 seconds. */
const patience = 4;
const longestAnswer = 256 * 1024;
const hour = 3_600_000;

export const freshProof = (): Proof => ({
  state: openid.randomState(),
  nonce: openid.randomNonce(),
  codeVerifier: openid.randomPKCECodeVerifier(),
});

/** The OpenID Connect providers that people may sign in with, as this service talks to them. */
@Injectable()
export class OpenIdProviderClient {
  private readonly log = new Logger('OpenIdProviderClient');
  /** By the name of the provider. */
  private readonly configurations = new Cache<openid.Configuration>({
    name: 'openid-configurations',
    maxBytes: 4 * 1024 ** 2,
    bytesOf: () => 16 * 1024,
    ttlMs: () => hour,
  });

  constructor(private readonly env: AccountsEnv) {}

  get all(): readonly Provider[] {
    return this.env.OIDC_PROVIDERS;
  }

  /** Throws `identity.provider-unknown`. */
  named(name: string): Provider {
    const provider = this.all.find((it) => it.name === name);
    if (!provider) throw providerUnknown(name);
    return provider;
  }

  /** What people know a provider by, also one that is no longer there. */
  labelOf(name: string): string {
    return this.all.find((it) => it.name === name)?.label ?? name;
  }

  /** Where a browser goes to sign in there. Throws `identity.provider-away`. */
  async address(provider: Provider, { state, nonce, codeVerifier }: Proof): Promise<string> {
    try {
      const url = openid.buildAuthorizationUrl(await this.configuration(provider), {
        redirect_uri: this.callback(provider),
        scope: 'openid profile email',
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return url.href;
    } catch (error) {
      this.report(provider, error);
      throw providerAway(provider.label);
    }
  }

  /**
   * Who has signed in there, by the parameters that the provider has sent the browser back with. The library checks the
   * issuer, the audience, the times, the nonce and the signature of the ID token, PKCE, and the parameter `iss`.
   *
   * @throws DomainError `identity.refused`, `identity.provider-away`
   */
  async person(provider: Provider, parameters: Readonly<Record<string, string>>, proof: Proof): Promise<Person> {
    try {
      const configuration = await this.configuration(provider);
      const returned = new URL(`${this.callback(provider)}?${new URLSearchParams(parameters).toString()}`);
      const tokens = await openid.authorizationCodeGrant(configuration, returned, {
        expectedState: proof.state,
        expectedNonce: proof.nonce,
        pkceCodeVerifier: proof.codeVerifier,
      });
      const claims: Claims & { sub: string } = tokens.claims()!;
      const more = configuration.serverMetadata().userinfo_endpoint
        ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
      const person = personOf({ ...more, ...claims });
      if (person) return person;
      throw new Error('the sub is not usable');
    } catch (error) {
      this.report(provider, error);
      const cause = error instanceof Error ? error.cause : undefined;
      throw cause instanceof DomainError ? cause : refusedBy(provider.label);
    }
  }

  /** As the provider has it registered. Written like the library writes it when it redeems a code. */
  private callback({ name }: Provider): string {
    return new URL(`${this.env.BASE_URL}/sign-in/with/${name}/callback`).href;
  }

  /** Loaded at the first sign-in with the provider, so that a provider that is down stops nothing else. */
  private configuration(provider: Provider): Promise<openid.Configuration> {
    return this.configurations.load(provider.name, () => discover(provider));
  }

  /** For the operator: what it was that the person is told in one sentence. */
  private report({ name }: Provider, error: unknown): void {
    const reasons: string[] = [];
    for (let it = error; it instanceof Error; it = it.cause) reasons.push(it.message);
    this.log.warn(`${name}: ${reasons.join(': ')}`);
  }
}

function discover(provider: Provider): Promise<openid.Configuration> {
  const { issuer, clientId, clientSecret } = provider;
  return openid.discovery(new URL(issuer), clientId, clientSecret, clientAuth(clientSecret), {
    timeout: patience,
    [openid.customFetch]: fetchFrom(provider),
    execute: [
      openid.enableNonRepudiationChecks,
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- to be noticed; an issuer over HTTP is on this machine: see `readProviders`
      ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
    ],
  });
}

/** By HTTP Basic, which is what OpenID Connect takes when a provider does not say what it takes. */
function clientAuth(secret: string): openid.ClientAuth {
  const basic = openid.ClientSecretBasic(secret);
  const post = openid.ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? basic : post;
    authenticate(server, client, body, headers);
  };
}

/** Fetches what a provider says, within the library's time limit. What is no answer is said to be none of the person's. */
const fetchFrom =
  ({ label }: Provider): openid.CustomFetch =>
  async (url, options) => {
    try {
      const response = await fetch(url, options);
      if (response.status >= 500) throw new Error(`status ${response.status}`);
      const { status, headers } = response;
      return new Response(await bytesOf(response), { status, headers });
    } catch (cause) {
      throw Object.assign(providerAway(label), { cause });
    }
  };

async function bytesOf({ body }: Response): Promise<Buffer<ArrayBuffer> | null> {
  if (!body) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > longestAnswer) throw new Error(`more than ${longestAnswer} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
