import { command, type Commands } from '../command-line/command.js';
import { id } from '../command-line/flags.js';

export const promotion: Commands = {
  create: command({
    summary: 'Creates a promotion.',
    flags: {
      name: { help: 'name of the promotion', value: 'S', required: true },
      category: { help: 'kind of promotion', value: 'S', required: true },
      url: { help: 'URL of its page', value: 'URL', required: true },
    },
    run: (clients, { name, category, url }) => clients.of('catalog').call('promotions.create', { name, category, url }),
  }),
  list: command({
    summary: 'Lists the promotions.',
    flags: {},
    run: (clients) => clients.of('catalog').call('promotions.list', {}),
  }),
  delete: command({
    summary: 'Deletes a promotion.',
    flags: { id },
    run: (clients, { id: promotionId }) => clients.of('catalog').call('promotions.delete', { promotionId }),
  }),
};
