import type { ReplyOf, Services } from '#contracts';
import { command, type Commands, Report } from '../command-line/command.js';
import { id } from '../command-line/flags.js';
import { rowReport, table } from '../command-line/table.js';

type Promotion = ReplyOf<Services['catalog'], 'promotions.create'>;

const rowOf = ({ id, category, url: URL, name }: Promotion) => ({ id, category, URL, name });

export const promotion: Commands = {
  create: command({
    summary: 'Creates a promotion.',
    flags: {
      name: { help: 'name of the promotion', value: 'NAME', required: true, positional: true },
      category: { help: 'kind of promotion', value: 'S', required: true },
      url: { help: 'URL of its page', value: 'URL', required: true },
    },
    run: async (clients, { name, category, url }) => {
      const created = await clients.of('catalog').call('promotions.create', { name, category, url });
      return rowReport(rowOf(created), created);
    },
  }),
  list: command({
    summary: 'Lists the promotions.',
    flags: {},
    run: async (clients) => {
      const found = await clients.of('catalog').call('promotions.list', {});
      return new Report(table(found.promotions.map(rowOf), 'No promotions.'), found);
    },
  }),
  delete: command({
    summary: 'Deletes a promotion.',
    flags: { id },
    run: async (clients, { id: promotionId }) => {
      const result = await clients.of('catalog').call('promotions.delete', { promotionId });
      return new Report('Deleted.', result);
    },
  }),
};
