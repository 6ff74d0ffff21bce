import { command, type Commands, Report } from '../command-line/command.js';
import { rowReport, table } from '../command-line/table.js';

export const catalog: Commands = {
  load: command({
    summary: 'Loads the catalog files that ship with the service. Idempotent.',
    flags: { 'without-items': { help: 'hides the items of these files from new products' } },
    run: async (clients, flags) => {
      const loaded = await clients.of('catalog').call('items.load', { withoutItems: flags['without-items'] });
      const { kept, ...counts } = loaded;
      if (kept.length === 0) return rowReport(counts, loaded);
      const warning = `Warning: imported before, therefore not loaded: ${kept.join(', ')}.`;
      return new Report([table([counts], ''), warning].join('\n'), loaded);
    },
  }),
};
