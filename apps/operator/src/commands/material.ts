import type { Product, ReplyOf, Services } from '#contracts';
import { command, type Commands, Report } from '../command-line/command.js';
import { id, page, pageRequest, userName } from '../command-line/flags.js';
import { pageOf, printable, table } from '../command-line/table.js';

const flags = {
  id,
  reason: { help: 'reason, which the owner sees on the page of a hidden material', value: 'S', required: true },
} as const;

type ModeratedMaterial = ReplyOf<Services['catalog'], 'materials.violate'>;

function listingOf(found: ReplyOf<Services['catalog'], 'materials.find'>): Report {
  const rows = found.materials.map(({ id, violation, title }) => ({ id, violation, title }));
  return new Report(pageOf(table(rows, 'No materials.'), found.nextOffset), found);
}

function reportOf(material: ModeratedMaterial, all: readonly Product[]): Report {
  const products = all.map(({ id, item, published, priceWithTax, discountedPriceWithTax }) => ({
    id,
    item: item.name,
    published,
    priceWithTax,
    discountedPriceWithTax,
  }));
  const rows = products.map(({ priceWithTax, discountedPriceWithTax, published, ...product }) => ({
    ...product,
    state: published ? 'published' : 'unpublished',
    'price with tax': priceWithTax,
    'after discounts': discountedPriceWithTax,
  }));
  return new Report([textOf(material), '', table(rows, 'No products.')].join('\n'), { ...material, products });
}

const textOf = ({ id, title, userName, violation, reason }: ModeratedMaterial): string =>
  [
    printable(`Material ${id} of ${userName}: ${title}`),
    `Violation: ${violation ? 'yes, hidden from all but the owner' : 'no'}`,
    ...(reason === null ? [] : [printable(`Reason: ${reason}`)]),
  ].join('\n');

const moderationReport = (material: ModeratedMaterial): Report => new Report(textOf(material), material);

export const material: Commands = {
  list: command({
    summary: 'Lists the materials of a user, newest first.',
    flags: { user: userName, ...page },
    run: async (clients, { user: owner, ...flags }) =>
      listingOf(await clients.of('catalog').call('materials.find', { userName: owner, ...pageRequest(flags) })),
  }),
  show: command({
    summary: 'Shows a material: title, owner, violation with its reason, and all products.',
    flags: { id },
    run: async (clients, { id: materialId }) => {
      const catalog = clients.of('catalog');
      const material = await catalog.call('materials.show', { materialId });
      const { products } = await catalog.call('materials.get', { viewerId: material.userId, materialId });
      return reportOf(material, products);
    },
  }),
  violate: command({
    summary: 'Hides a material that violates the rules, and its products, from all but the owner.',
    flags,
    run: async (clients, { id: materialId, reason }) =>
      moderationReport(await clients.of('catalog').call('materials.violate', { materialId, reason })),
  }),
  clear: command({
    summary: 'Shows a hidden material and its products again.',
    flags,
    run: async (clients, { id: materialId, reason }) =>
      moderationReport(await clients.of('catalog').call('materials.clear', { materialId, reason })),
  }),
};
