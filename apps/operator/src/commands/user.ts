import { command, type Commands } from '../command-line/command.js';
import { meant, meantOrRefused, userName } from '../command-line/flags.js';

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
    run: (clients, { name }) => clients.of('accounts').call('keys.show-by-name', { userName: name }),
  }),
  'replace-key': command({
    summary: "Replaces a user's personal API key; the old one dies at once.",
    flags: { name: userName },
    run: (clients, { name }) => clients.of('accounts').call('keys.replace-by-name', { userName: name }),
  }),
  'reset-password': command({
    summary: 'Sets another password, a random one when none is given; ends all sessions of the user.',
    flags: {
      name: { ...userName, positional: true },
      password: { help: 'the new password, at least 10 characters', value: 'P' },
      all: { help: 'also replaces the personal key and ends all tokens and consents' },
    },
    run: (clients, { name, password, all: endAccess }) =>
      clients.of('accounts').call('users.reset-password', { name, password, endAccess }),
  }),
  delete: command({
    summary: 'Deletes a user with everything that is theirs: materials, products, choices, favorites, applications.',
    flags: { name: { ...userName, positional: true }, yes: meant },
    run: (clients, { name, yes }) => {
      meantOrRefused(yes, `deletes ${name} for good`);
      return clients.of('accounts').call('users.remove', { name });
    },
  }),
};
