import { AuthorizationCode } from 'simple-oauth2';

const { STOREFRONT_URL: tokenHost, CLIENT_ID: id, CLIENT_SECRET: secret } = process.env;
const paths = { authorizePath: '/oauth/authorize', tokenPath: '/oauth/token', revokePath: '/oauth/revoke' };
export const client = new AuthorizationCode({ client: { id, secret }, auth: { tokenHost, ...paths } });
