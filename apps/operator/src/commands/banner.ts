import type { ReplyOf, Services } from '#contracts';
import { command, type Commands, Report } from '../command-line/command.js';
import { id } from '../command-line/flags.js';
import { rowReport, table } from '../command-line/table.js';

type Banner = ReplyOf<Services['catalog'], 'banners.create'>;

const rowOf = ({ id, displaySize, imageUrl, linkUrl, altText }: Banner) => ({
  id,
  'display size': displaySize,
  'image URL': imageUrl,
  'link URL': linkUrl ?? null,
  'alt text': altText ?? null,
});

export const banner: Commands = {
  create: command({
    summary: 'Creates a banner.',
    flags: {
      'display-size': { help: 'size for which the image was made', value: 'S', required: true },
      'image-url': { help: 'URL of the image', value: 'URL', required: true },
      'link-url': { help: 'page that the banner opens; requires --alt-text', value: 'URL' },
      'alt-text': { help: 'words of the image, for screen readers', value: 'TEXT' },
    },
    run: async (clients, flags) => {
      const { 'display-size': displaySize, 'image-url': imageUrl, 'link-url': linkUrl, 'alt-text': altText } = flags;
      const created = await clients.of('catalog').call('banners.create', { displaySize, imageUrl, linkUrl, altText });
      return rowReport(rowOf(created), created);
    },
  }),
  list: command({
    summary: 'Lists the banners.',
    flags: {},
    run: async (clients) => {
      const found = await clients.of('catalog').call('banners.list', { withLinks: true });
      return new Report(table(found.banners.map(rowOf), 'No banners.'), found);
    },
  }),
  delete: command({
    summary: 'Deletes a banner.',
    flags: { id },
    run: async (clients, { id: bannerId }) => {
      const result = await clients.of('catalog').call('banners.delete', { bannerId });
      return new Report('Deleted.', result);
    },
  }),
};
