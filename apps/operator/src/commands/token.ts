import { command, type Commands } from '../command-line/command.js';
import { z } from 'zod';
import { scopes, userName } from '../command-line/flags.js';

const tokenHash = z.hex({ error: 'must be 64 hexadecimal digits, as `token list` shows them' }).length(64);

export const token: Commands = {
  create: command({
    summary: 'Creates an access token for a user.',
    flags: {
      user: userName,
      scope: { help: 'scopes, separated by spaces', value: '"read write"', type: scopes, required: true },
    },
    run: (clients, { user, scope }) => clients.of('accounts').call('tokens.create', { userName: user, scopes: scope }),
  }),
  list: command({
    summary: "Lists a user's tokens: hash and last use.",
    flags: { user: { ...userName, positional: true } },
    run: (clients, { user }) => clients.of('accounts').call('tokens.list', { userName: user }),
  }),
  revoke: command({
    summary: 'Revokes an access token at once.',
    flags: {
      token: { help: 'the token', value: 'T' },
      hash: { help: 'hash of the token, as `token list` shows it', value: 'H', type: tokenHash },
    },
    oneOf: [['token', 'hash']],
    run: (clients, { token: revoked, hash }) =>
      clients.of('accounts').call('tokens.revoke', hash === undefined ? { token: revoked! } : { tokenHash: hash }),
  }),
};
