import { command, type Commands, Report } from '../command-line/command.js';
import { id } from '../command-line/flags.js';
import { table } from '../command-line/table.js';

export const banner: Commands = {
  create: command({
    summary: 'Creates a banner.',
    flags: {
      'display-size': { help: 'size in which it is shown', value: 'S', required: true },
      'image-url': { help: 'URL of the image', value: 'URL', required: true },
    },
    run: (clients, { 'display-size': displaySize, 'image-url': imageUrl }) =>
      clients.of('catalog').call('banners.create', { displaySize, imageUrl }),
  }),
  list: command({
    summary: 'Lists the banners.',
    flags: {},
    run: async (clients) => {
      const found = await clients.of('catalog').call('banners.list', {});
      const rows = found.banners.map(({ id, displaySize, imageUrl }) => ({
        id,
        'display size': displaySize,
        'image URL': imageUrl,
      }));
      return new Report(table(rows, 'No banners.'), found);
    },
  }),
  delete: command({
    summary: 'Deletes a banner.',
    flags: { id },
    run: (clients, { id: bannerId }) => clients.of('catalog').call('banners.delete', { bannerId }),
  }),
};
