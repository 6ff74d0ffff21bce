import { command, type Commands } from '../command-line/command.js';
import { id, confirmation, requireConfirmation } from '../command-line/flags.js';

/** OAuth applications that users have registered. */
export const app: Commands = {
  list: command({
    summary: 'Lists the newest 200 applications, of all users or of one.',
    flags: { owner: { help: 'only those of this user', value: 'NAME', positional: true } },
    run: (clients, { owner: ownerName }) => clients.of('accounts').call('applications.find', { ownerName }),
  }),
  show: command({
    summary: 'Shows an application.',
    flags: { id },
    run: (clients, { id: applicationId }) => clients.of('accounts').call('applications.show', { applicationId }),
  }),
  delete: command({
    summary: 'Deletes an application; all its tokens are revoked at once.',
    flags: { id, yes: confirmation },
    run: (clients, { id: applicationId, yes }) => {
      requireConfirmation(yes, `deletes application ${applicationId} and all its tokens for good`);
      return clients.of('accounts').call('applications.remove', { applicationId });
    },
  }),
};
