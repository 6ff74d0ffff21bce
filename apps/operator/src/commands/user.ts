import { command, type Commands } from '../command-line/command.js';
import { confirmation, requireConfirmation, userName } from '../command-line/flags.js';

export const user: Commands = {
  create: command({
    summary: 'Creates a user with a personal API key.',
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
    summary: 'Marks a user as official.',
    flags: { name: { ...userName, positional: true }, off: { help: 'removes the mark' } },
    run: (clients, { name, off }) => clients.of('accounts').call('users.mark-official', { name, official: !off }),
  }),
  key: command({
    summary: "Shows a user's personal API key.",
    flags: { name: userName },
    run: (clients, { name }) => clients.of('accounts').call('keys.show-by-name', { userName: name }),
  }),
  'replace-key': command({
    summary: "Replaces a user's personal API key; the old one is revoked at once.",
    flags: { name: userName },
    run: (clients, { name }) => clients.of('accounts').call('keys.replace-by-name', { userName: name }),
  }),
  'reset-password': command({
    summary: 'Sets a new password, random by default, and ends all sessions of the user.',
    flags: {
      name: { ...userName, positional: true },
      password: { help: 'the new password, at least 10 characters', value: 'P' },
      all: { help: 'also replaces the personal key and revokes all tokens and consents' },
    },
    run: (clients, { name, password, all: endAccess }) =>
      clients.of('accounts').call('users.reset-password', { name, password, endAccess }),
  }),
  delete: command({
    summary: 'Deletes a user with their materials, products, choices, favorites and applications.',
    flags: { name: { ...userName, positional: true }, yes: confirmation },
    run: (clients, { name, yes }) => {
      requireConfirmation(yes, `deletes ${name} for good`);
      return clients.of('accounts').call('users.remove', { name });
    },
  }),
};
