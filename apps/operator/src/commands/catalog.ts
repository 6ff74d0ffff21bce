import { command, type Commands } from '../command-line/command.js';
import { rowReport } from '../command-line/table.js';

export const catalog: Commands = {
  load: command({
    summary: 'Loads the catalog files that ship with the service. Idempotent.',
    flags: { 'without-items': { help: 'hides the items of these files from new products' } },
    run: async (clients, flags) => {
      const loaded = await clients.of('catalog').call('items.load', { withoutItems: flags['without-items'] });
      return rowReport(loaded, loaded);
    },
  }),
};
