import { command, type Commands } from '../command.js';
import { userName } from '../flags.js';

export const user: Commands = {
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
  official: command({
    summary: 'Marks a user as an official one of the shop.',
    flags: { name: { ...userName, positional: true }, off: { help: 'takes the mark away' } },
    run: (clients, { name, off }) => clients.of('accounts').call('users.mark-official', { name, official: !off }),
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
};
