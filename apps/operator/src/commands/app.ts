import { command, type Commands } from '../command-line/command.js';
import { id, meant, meantOrRefused } from '../command-line/flags.js';

/** The applications that users have registered. */
export const app: Commands = {
  list: command({
    summary: 'Lists the newest 200 applications, of everybody or of one user.',
    flags: { owner: { help: 'only those of this user', value: 'NAME', positional: true } },
    run: (clients, { owner: ownerName }) => clients.of('accounts').call('applications.find', { ownerName }),
  }),
  show: command({
    summary: 'Shows an application.',
    flags: { id },
    run: (clients, { id: applicationId }) => clients.of('accounts').call('applications.show', { applicationId }),
  }),
  delete: command({
    summary: 'Deletes an application; every token that was given to it dies at once.',
    flags: { id, yes: meant },
    run: (clients, { id: applicationId, yes }) => {
      meantOrRefused(yes, `deletes application ${applicationId} and all its tokens for good`);
      return clients.of('accounts').call('applications.remove', { applicationId });
    },
  }),
};
