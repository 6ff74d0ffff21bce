import { command, type Commands } from '../command-line/command.js';
import { rowReport } from '../command-line/table.js';

export const catalog: Commands = {
  load: command({
    summary: 'Loads the catalog files that ship with the service. Idempotent.',
    flags: {},
    run: async (clients) => {
      const loaded = await clients.of('catalog').call('items.load', {});
      return rowReport(loaded, loaded);
    },
  }),
};
