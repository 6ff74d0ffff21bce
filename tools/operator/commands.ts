import { Scope } from '#contracts';
import { type Command, command, UsageError } from './command.js';

const userName = { help: 'user name', value: 'NAME', required: true } as const;

/** All commands, by noun and verb: also the text of `--help`. */
export const commands: Readonly<Record<string, Readonly<Record<string, Command>>>> = {
  user: {
    create: command({
      summary: 'Makes a user with a personal API key.',
      flags: {
        name: userName,
        email: { help: 'e-mail address', value: 'E', required: true },
        password: { help: 'password, at least 10 characters', value: 'P', required: true },
        'display-name': { help: 'name shown on pages', value: 'TEXT' },
      },
      run: (clients, { name, email, password, 'display-name': displayName }) =>
        clients.of('accounts').call('users.create', { name, email, password, displayName: displayName ?? null }),
    }),
    show: command({
      summary: 'Shows a user.',
      flags: { name: userName },
      run: (clients, { name }) => clients.of('accounts').call('users.show', { name }),
    }),
    key: command({
      summary: "Shows a user's personal API key.",
      flags: { name: userName },
      run: (clients, { name }) => clients.of('accounts').call('keys.show', { userName: name }),
    }),
    'replace-key': command({
      summary: "Replaces a user's personal API key; the old one dies at once.",
      flags: { name: userName },
      run: (clients, { name }) => clients.of('accounts').call('keys.replace', { userName: name }),
    }),
  },
  token: {
    create: command({
      summary: 'Makes an access token for a user.',
      flags: { user: userName, scope: { help: 'scopes, separated by spaces', value: '"read write"', required: true } },
      run: (clients, { user, scope }) =>
        clients.of('accounts').call('tokens.create', { userName: user, scopes: scopesOf(scope) }),
    }),
    revoke: command({
      summary: 'Revokes an access token at once.',
      flags: { token: { help: 'the token', value: 'T', required: true } },
      run: (clients, { token }) => clients.of('accounts').call('tokens.revoke', { token }),
    }),
  },
  catalog: {
    load: command({
      summary: 'Loads the catalogue files that ship with the service. Doing it twice changes nothing.',
      flags: {},
      run: (clients) => clients.of('catalog').call('items.load', {}),
    }),
  },
};

function scopesOf(text: string): Scope[] {
  const words = text.split(' ').filter((word) => word !== '');
  if (words.length === 0) throw new UsageError(`--scope: is empty, use ${Scope.options.join(' and ')}`);
  return words.map((word) => {
    const scope = Scope.safeParse(word);
    if (!scope.success) throw new UsageError(`--scope: ${word} is no scope, use ${Scope.options.join(' and ')}`);
    return scope.data;
  });
}
