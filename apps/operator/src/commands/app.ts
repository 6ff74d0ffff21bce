import { command, type Commands, Report } from '../command-line/command.js';
import { id, confirmation, requireConfirmation } from '../command-line/flags.js';
import { minute, table } from '../command-line/table.js';

/** Commands for OAuth applications that users have registered. */
export const app: Commands = {
  list: command({
    summary: 'Lists the newest 200 applications, of all users or of one.',
    flags: { owner: { help: 'only those of this user', value: 'NAME', positional: true } },
    run: async (clients, { owner: ownerName }) => {
      const found = await clients.of('accounts').call('applications.find', { ownerName });
      const rows = found.applications.map(({ id, ownerName: owner, users, scopes, createdAt, name }) => ({
        id,
        owner,
        users,
        scopes: scopes.join(' '),
        created: minute(createdAt),
        name,
      }));
      return new Report(table(rows, 'No applications.'), found);
    },
  }),
  show: command({
    summary: 'Shows an application.',
    flags: { id },
    run: (clients, { id: applicationId }) => clients.of('accounts').call('applications.show', { applicationId }),
  }),
  delete: command({
    summary: 'Deletes an application; all its tokens are revoked immediately.',
    flags: { id, yes: confirmation },
    run: (clients, { id: applicationId, yes }) => {
      requireConfirmation(yes, `deletes application ${applicationId} and all its tokens permanently`);
      return clients.of('accounts').call('applications.remove', { applicationId });
    },
  }),
};
