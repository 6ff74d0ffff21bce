import { z } from 'zod';
import { command, type Commands, Report } from '../command-line/command.js';
import { scopes, userName } from '../command-line/flags.js';
import { minute, table } from '../command-line/table.js';

const tokenHash = z.hex({ error: 'must be 64 hexadecimal digits, as `token list` shows them' }).length(64);

export const token: Commands = {
  create: command({
    summary: 'Creates an access token for a user.',
    flags: {
      user: userName,
      scope: {
        help: 'scopes, separated by spaces; production: print files of all products',
        value: '"read write"',
        type: scopes,
        required: true,
      },
    },
    run: (clients, { user: owner, scope }) =>
      clients.of('accounts').call('tokens.create', { userName: owner, scopes: scope }),
  }),
  list: command({
    summary: "Lists a user's tokens: hash and last use.",
    flags: { user: userName },
    run: async (clients, { user: owner }) => {
      const found = await clients.of('accounts').call('tokens.list', { userName: owner });
      const rows = found.tokens.map(
        ({ tokenHash: hash, kind, scopes, createdAt, lastUsedAt, expiresAt, application }) => ({
          hash,
          kind,
          scopes: scopes.join(' '),
          created: minute(createdAt),
          'last used': lastUsedAt && minute(lastUsedAt),
          expires: expiresAt && minute(expiresAt),
          application,
        }),
      );
      return new Report(table(rows, 'No tokens.'), found);
    },
  }),
  revoke: command({
    summary: 'Revokes an access token immediately.',
    flags: {
      token: { help: 'the token', value: 'T' },
      hash: { help: 'hash of the token, as `token list` shows it', value: 'H', type: tokenHash },
    },
    oneOf: [['token', 'hash']],
    run: async (clients, { token: given, hash }) => {
      const target = hash === undefined ? { token: given! } : { tokenHash: hash };
      const result = await clients.of('accounts').call('tokens.revoke', target);
      return new Report(result.revoked ? 'Revoked.' : 'No such token.', result);
    },
  }),
};
