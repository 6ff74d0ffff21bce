import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type AccountClaims } from 'oidc-provider';
import { client } from './openid-client.js';

/**
 * Returns the claims of a login. Logins that begin with `new` have an unverified e-mail address.
 */
const claimsOf = (login: string): AccountClaims => ({
  sub: login,
  preferred_username: login,
  profile: `https://people.example.com/${login}`,
  email: `${login}@mail.example.com`,
  email_verified: !login.startsWith('new'),
});

/**
 * OpenID provider on a loopback port, with one client and an account for every login. Sends the
 * issuer to the parent process.
 */
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [process.argv[2]!] }],
    claims: { profile: ['preferred_username', 'profile'], email: ['email', 'email_verified'] },
    findAccount: (_, login) => ({ accountId: login, claims: () => claimsOf(login) }),
    pkce: { required: () => true },
    cookies: { keys: ['for tests only'] },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));
  process.send!(issuer);
});
process.once('disconnect', () => process.exit());
