import { Injectable, Logger } from '@nestjs/common';
import * as openid from 'openid-client';
import { Cache } from '#cache';
import { DomainError } from '#kernel';
import { AccountsEnv } from '../env.js';
import { providerUnavailable, providerUnknown, rejectedByProvider } from './identity.errors.js';
import { type Claims, type ProviderProfile, profileFromClaims } from './identity.rules.js';
import type { Provider } from './provider.schema.js';

/** Random single-use values that bind a provider's response to the request. */
interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/**
 * Timeout of one request. `identities.finish` has 20 s and sends up to four requests: discovery,
 * token, keys and userinfo.
 */
const requestTimeoutSeconds = 4;
const maxResponseBytes = 256 * 1024;
const configurationTtlMs = 3_600_000;

export const generateSignInState = (): SignInState => ({
  state: openid.randomState(),
  nonce: openid.randomNonce(),
  codeVerifier: openid.randomPKCECodeVerifier(),
});

/** Client of the OpenID Connect providers in OIDC_PROVIDERS. */
@Injectable()
export class OpenIdProviderClient {
  private readonly log = new Logger('OpenIdProviderClient');
  /** Discovered configurations by provider name. */
  private readonly configurations = new Cache<openid.Configuration>({
    name: 'openid-configurations',
    maxBytes: 4 * 1024 ** 2,
    bytesOf: () => 16 * 1024,
    ttlMs: () => configurationTtlMs,
  });

  constructor(private readonly env: AccountsEnv) {}

  get providers(): readonly Provider[] {
    return this.env.OIDC_PROVIDERS;
  }

  /** Returns a provider by name. Throws `identity.provider-unknown`. */
  find(name: string): Provider {
    const provider = this.providers.find((it) => it.name === name);
    if (!provider) throw providerUnknown(name);
    return provider;
  }

  /** Returns the display name of a provider; the plain name if it is no longer configured. */
  labelOf(name: string): string {
    return this.providers.find((it) => it.name === name)?.label ?? name;
  }

  /** Returns the authorization URL of a provider. Throws `identity.provider-away`. */
  async authorizationUrl(provider: Provider, { state, nonce, codeVerifier }: SignInState): Promise<string> {
    try {
      const url = openid.buildAuthorizationUrl(await this.configuration(provider), {
        redirect_uri: this.callbackUrl(provider),
        scope: 'openid profile email',
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return url.href;
    } catch (error) {
      this.logFailure(provider, error);
      throw providerUnavailable(provider.label);
    }
  }

  /**
   * Redeems the code of a callback and returns the profile of the user. The library checks the
   * parameters `state` and `iss`, and issuer, audience, times, nonce and signature of the ID token,
   * and sends the PKCE verifier, which the provider checks.
   *
   * @throws DomainError `identity.refused`, `identity.provider-away`
   */
  async fetchProfile(
    provider: Provider,
    parameters: Readonly<Record<string, string>>,
    expected: SignInState,
  ): Promise<ProviderProfile> {
    try {
      const configuration = await this.configuration(provider);
      const returned = new URL(`${this.callbackUrl(provider)}?${new URLSearchParams(parameters).toString()}`);
      const tokens = await openid.authorizationCodeGrant(configuration, returned, {
        expectedState: expected.state,
        expectedNonce: expected.nonce,
        pkceCodeVerifier: expected.codeVerifier,
      });
      const claims: Claims & { sub: string } = tokens.claims()!;
      const more = configuration.serverMetadata().userinfo_endpoint
        ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
      const profile = profileFromClaims({ ...more, ...claims });
      if (profile) return profile;
      throw new Error('the ID token has no usable sub');
    } catch (error) {
      this.logFailure(provider, error);
      const cause = error instanceof Error ? error.cause : undefined;
      throw cause instanceof DomainError ? cause : rejectedByProvider(provider.label);
    }
  }

  /**
   * Returns the callback URL that is registered at the provider, normalized (`href`), because the
   * library sends it in this form when it redeems a code.
   */
  private callbackUrl({ name }: Provider): string {
    return new URL(`${this.env.BASE_URL}/sign-in/with/${name}/callback`).href;
  }

  /**
   * Returns the configuration, cached for an hour. Discovery runs at the first sign-in, so that the
   * service starts although a provider is down.
   */
  private configuration(provider: Provider): Promise<openid.Configuration> {
    return this.configurations.load(provider.name, () => discover(provider));
  }

  /** Logs the reasons for the operator; the user sees one generic sentence. */
  private logFailure({ name }: Provider, error: unknown): void {
    const reasons: string[] = [];
    for (let it = error; it instanceof Error; it = it.cause) reasons.push(it.message);
    this.log.warn(`Sign-in at ${name} failed: ${reasons.join(': ')}`);
  }
}

function discover(provider: Provider): Promise<openid.Configuration> {
  const { issuer, clientId, clientSecret } = provider;
  return openid.discovery(new URL(issuer), clientId, clientSecret, clientAuth(clientSecret), {
    timeout: requestTimeoutSeconds,
    [openid.customFetch]: fetchFrom(provider),
    execute: [
      openid.enableNonRepudiationChecks,
      // Only for an issuer on this machine: see `readProviders`
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated only as a warning
      ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
    ],
  });
}

/**
 * Authenticates by HTTP Basic if the provider supports it or lists no methods (HTTP Basic is the
 * default of OpenID Connect), otherwise with the secret in the form.
 */
function clientAuth(secret: string): openid.ClientAuth {
  const basic = openid.ClientSecretBasic(secret);
  const post = openid.ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? basic : post;
    authenticate(server, client, body, headers);
  };
}

/**
 * Fetches from a provider within the library's timeout. Timeouts, connection errors, 5xx responses
 * and bodies larger than `maxResponseBytes` become `identity.provider-away`.
 */
const fetchFrom =
  ({ label }: Provider): openid.CustomFetch =>
  async (url, options) => {
    try {
      const response = await fetch(url, options);
      if (response.status >= 500) throw new Error(`status ${response.status}`);
      const { status, headers } = response;
      return new Response(await readBody(response), { status, headers });
    } catch (cause) {
      throw Object.assign(providerUnavailable(label), { cause });
    }
  };

async function readBody({ body }: Response): Promise<Buffer<ArrayBuffer> | null> {
  if (!body) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxResponseBytes) throw new Error(`more than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
