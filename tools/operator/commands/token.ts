import { command, type Commands } from '../command.js';
import { scopes, userName } from '../flags.js';

export const token: Commands = {
  create: command({
    summary: 'Makes an access token for a user.',
    flags: {
      user: userName,
      scope: { help: 'scopes, separated by spaces', value: '"read write"', type: scopes, required: true },
    },
    run: (clients, { user, scope }) => clients.of('accounts').call('tokens.create', { userName: user, scopes: scope }),
  }),
  revoke: command({
    summary: 'Revokes an access token at once.',
    flags: { token: { help: 'the token', value: 'T', required: true } },
    run: (clients, { token: revoked }) => clients.of('accounts').call('tokens.revoke', { token: revoked }),
  }),
};
