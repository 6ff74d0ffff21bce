import { command, type Commands } from '../command-line/command.js';

export const catalog: Commands = {
  load: command({
    summary: 'Loads the catalog files that ship with the service. Idempotent.',
    flags: {},
    run: (clients) => clients.of('catalog').call('items.load', {}),
  }),
};
