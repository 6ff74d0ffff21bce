import { command, type Commands, Report } from '../command-line/command.js';
import { id } from '../command-line/flags.js';
import { table } from '../command-line/table.js';

export const banner: Commands = {
  create: command({
    summary: 'Creates a banner.',
    flags: {
      'display-size': { help: 'size for which the image was made', value: 'S', required: true },
      'image-url': { help: 'URL of the image', value: 'URL', required: true },
      'link-url': { help: 'page that the banner opens; requires --alt-text', value: 'URL' },
      'alt-text': { help: 'words of the image, for screen readers', value: 'TEXT' },
    },
    run: (clients, { 'display-size': displaySize, 'image-url': imageUrl, 'link-url': linkUrl, 'alt-text': altText }) =>
      clients.of('catalog').call('banners.create', { displaySize, imageUrl, linkUrl, altText }),
  }),
  list: command({
    summary: 'Lists the banners.',
    flags: {},
    run: async (clients) => {
      const found = await clients.of('catalog').call('banners.list', { withLinks: true });
      const rows = found.banners.map(({ id, displaySize, imageUrl, linkUrl, altText }) => ({
        id,
        'display size': displaySize,
        'image URL': imageUrl,
        'link URL': linkUrl ?? null,
        'alt text': altText ?? null,
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
