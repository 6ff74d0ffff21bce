import type { ReplyOf, Services } from '#contracts';
import { command, type Commands, Report } from '../command-line/command.js';
import { confirmation, page, pageRequest, requireConfirmation, userName } from '../command-line/flags.js';
import { minute, pageOf, rowReport, table } from '../command-line/table.js';

type Page = ReplyOf<Services['accounts'], 'users.find'>;
type User = Page['users'][number];

const rowOf = ({ id, name, email, official, createdAt, displayName }: User) => ({
  id,
  name,
  email,
  official,
  created: minute(createdAt),
  'display name': displayName,
});

const listingOf = (found: Page): Report =>
  new Report(pageOf(table(found.users.map(rowOf), 'No users.'), found.nextOffset), found);

const reportOf = (shown: User): Report => rowReport(rowOf(shown), shown);

const keyReport = (name: string, shown: { readonly apiKey: string }): Report =>
  rowReport({ name, 'API key': shown.apiKey }, shown);

export const user: Commands = {
  create: command({
    summary: 'Creates a user with a personal API key.',
    flags: {
      name: userName,
      email: { help: 'email address', value: 'E', required: true },
      password: { help: 'password, at least 10 characters', value: 'P', required: true },
      'display-name': { help: 'name shown on pages', value: 'TEXT' },
    },
    run: (clients, { name, email, password, 'display-name': displayName }) =>
      clients.of('accounts').call('users.create', { name, email, password, displayName: displayName ?? null }),
  }),
  list: command({
    summary: 'Lists the users, newest first.',
    flags: page,
    run: async (clients, flags) => listingOf(await clients.of('accounts').call('users.find', pageRequest(flags))),
  }),
  find: command({
    summary: 'Finds users by part of the name or by the email address.',
    flags: {
      text: { help: 'part of the name, or the email address', value: 'TEXT', required: true, positional: true },
      ...page,
    },
    run: async (clients, { text, ...flags }) =>
      listingOf(await clients.of('accounts').call('users.find', { text, ...pageRequest(flags) })),
  }),
  show: command({
    summary: 'Shows a user.',
    flags: { name: userName },
    run: async (clients, { name }) => reportOf(await clients.of('accounts').call('users.show', { name })),
  }),
  official: command({
    summary: 'Marks a user as official.',
    flags: { name: userName, off: { help: 'removes the mark' } },
    run: async (clients, { name, off }) =>
      reportOf(await clients.of('accounts').call('users.mark-official', { name, official: !off })),
  }),
  key: command({
    summary: "Shows a user's personal API key.",
    flags: { name: userName },
    run: async (clients, { name }) =>
      keyReport(name, await clients.of('accounts').call('keys.show-by-name', { userName: name })),
  }),
  'replace-key': command({
    summary: "Replaces a user's personal API key; the old one is revoked immediately.",
    flags: { name: userName },
    run: async (clients, { name }) =>
      keyReport(name, await clients.of('accounts').call('keys.replace-by-name', { userName: name })),
  }),
  'reset-password': command({
    summary: 'Sets a new password, random by default, and ends all sessions of the user.',
    flags: {
      name: userName,
      password: { help: 'the new password, at least 10 characters', value: 'P' },
      all: { help: 'also replaces the personal key and revokes all tokens and consents' },
    },
    run: async (clients, { name, password, all: endAccess }) => {
      const reset = await clients.of('accounts').call('users.reset-password', { name, password, endAccess });
      return rowReport(reset, reset);
    },
  }),
  delete: command({
    summary: 'Deletes a user with their materials, products, choices, favorites and applications.',
    flags: { name: userName, yes: confirmation },
    run: async (clients, { name, yes }) => {
      requireConfirmation(yes, `deletes ${name} permanently`);
      const deleted = await clients.of('accounts').call('users.remove', { name });
      return new Report(`Deleted user ${deleted.id}, ${deleted.name}.`, deleted);
    },
  }),
};
