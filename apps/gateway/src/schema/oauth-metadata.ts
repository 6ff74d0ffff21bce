import { languages, scopes } from '#contracts';

export const metadataPath = '/.well-known/oauth-authorization-server';

/** Authentication methods of confidential clients. */
const withSecret = ['client_secret_basic', 'client_secret_post'];
const anyClient = [...withSecret, 'none'];

/**
 * Returns the metadata of the OAuth server (RFC 8414).
 * `authorization_response_iss_parameter_supported` is omitted, which means false. With true,
 * clients reject authorization responses without `iss` (RFC 9207), which is added only for
 * applications that enable it.
 *
 * @param baseUrl the issuer
 * @param tokensExpire true if access tokens expire and refresh tokens are issued
 */
export const metadataOf = (baseUrl: string, tokensExpire: boolean): object => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  scopes_supported: scopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', ...(tokensExpire ? ['refresh_token'] : [])],
  token_endpoint_auth_methods_supported: anyClient,
  revocation_endpoint_auth_methods_supported: anyClient,
  introspection_endpoint_auth_methods_supported: withSecret,
  code_challenge_methods_supported: ['S256'],
  service_documentation: `${baseUrl}/docs`,
  ui_locales_supported: languages,
});
