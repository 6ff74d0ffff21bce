import * as client from 'openid-client';

const { STOREFRONT_URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env;
// OAuth 2.0 without ID tokens. Plain http is for installations on this machine
const options = { algorithm: 'oauth2', execute: url.startsWith('http:') ? [client.allowInsecureRequests] : [] };
const secret = client.ClientSecretBasic(clientSecret);
export const configuration = await client.discovery(new URL(url), clientId, undefined, secret, options);
