// An entry of `providers`, for Auth.js (next-auth 5) and for next-auth 4
const { STOREFRONT_URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env;
const authorization = { url: `${url}/oauth/authorize`, params: { scope: 'read' } };
const addresses = { issuer: url, authorization, token: `${url}/oauth/token`, userinfo: `${url}/api/v1/user` };
const profile = ({ user }) => ({ id: String(user.id), name: user.name, email: user.email, image: user.avatarUrl });
const common = { name: 'Storefront', type: 'oauth', checks: ['pkce', 'state'] };
export const provider = { id: 'storefront', ...common, ...addresses, clientId, clientSecret, profile };
