import { command, type Commands, Report } from '../command-line/command.js';
import { id } from '../command-line/flags.js';
import { table } from '../command-line/table.js';

export const promotion: Commands = {
  create: command({
    summary: 'Creates a promotion.',
    flags: {
      name: { help: 'name of the promotion', value: 'NAME', required: true, positional: true },
      category: { help: 'kind of promotion', value: 'S', required: true },
      url: { help: 'URL of its page', value: 'URL', required: true },
    },
    run: (clients, { name, category, url }) => clients.of('catalog').call('promotions.create', { name, category, url }),
  }),
  list: command({
    summary: 'Lists the promotions.',
    flags: {},
    run: async (clients) => {
      const found = await clients.of('catalog').call('promotions.list', {});
      const rows = found.promotions.map(({ id, category, url: URL, name }) => ({ id, category, URL, name }));
      return new Report(table(rows, 'No promotions.'), found);
    },
  }),
  delete: command({
    summary: 'Deletes a promotion.',
    flags: { id },
    run: (clients, { id: promotionId }) => clients.of('catalog').call('promotions.delete', { promotionId }),
  }),
};
