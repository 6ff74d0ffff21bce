import type { ReplyOf, Services } from '#contracts';
import { command, type Commands, Report } from '../command-line/command.js';
import { id, confirmation, requireConfirmation } from '../command-line/flags.js';
import { minute, printable, rowReport, table } from '../command-line/table.js';

type Application = ReplyOf<Services['accounts'], 'applications.show'>;

const rowOf = ({ id, ownerName: owner, users, scopes, createdAt, name }: Application) => ({
  id,
  owner,
  users,
  scopes: scopes.join(' '),
  created: minute(createdAt),
  name,
});

/** Commands for OAuth applications that users have registered. */
export const app: Commands = {
  list: command({
    summary: 'Lists the newest 200 applications, of all users or of one.',
    flags: { owner: { help: 'only those of this user', value: 'NAME', positional: true } },
    run: async (clients, { owner: ownerName }) => {
      const found = await clients.of('accounts').call('applications.find', { ownerName });
      return new Report(table(found.applications.map(rowOf), 'No applications.'), found);
    },
  }),
  show: command({
    summary: 'Shows an application.',
    flags: { id },
    run: async (clients, { id: applicationId }) => {
      const shown = await clients.of('accounts').call('applications.show', { applicationId });
      const uris = shown.redirectUris.map((uri) => printable(`Redirect URI: ${uri}`));
      return new Report([table([rowOf(shown)], ''), '', ...uris].join('\n'), shown);
    },
  }),
  delete: command({
    summary: 'Deletes an application; all its tokens are revoked immediately.',
    flags: { id, yes: confirmation },
    run: async (clients, { id: applicationId, yes }) => {
      requireConfirmation(yes, `deletes application ${applicationId} and all its tokens permanently`);
      const deleted = await clients.of('accounts').call('applications.remove', { applicationId });
      return rowReport(rowOf(deleted), deleted);
    },
  }),
};
