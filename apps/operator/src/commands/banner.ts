import { command, type Commands } from '../command-line/command.js';
import { id } from '../command-line/flags.js';

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
    run: (clients) => clients.of('catalog').call('banners.list', {}),
  }),
  delete: command({
    summary: 'Deletes a banner.',
    flags: { id },
    run: (clients, { id: bannerId }) => clients.of('catalog').call('banners.delete', { bannerId }),
  }),
};
