import {
  ExternalId,
  idText,
  maxQuantity,
  type RecordedPurchase,
  type Sale,
  type SaleDiscount,
  type SaleTarget,
} from '#contracts';
import { command, type Commands, Report } from '../command-line/command.js';
import { id, pointInTime, wholeNumber } from '../command-line/flags.js';
import { minute, rowReport, table } from '../command-line/table.js';

const when = 'a date (midnight UTC) or a date-time with an offset';

export const sale: Commands = {
  create: command({
    summary: 'Creates a sale of one item, of all products of a user, or of one product.',
    flags: {
      item: { help: 'every product on this item', value: 'ID', type: idText },
      user: { help: 'every product of this user', value: 'NAME' },
      product: { help: 'this product', value: 'ID', type: idText },
      'percent-off': { help: 'share of the price, 1 to 100', value: 'N', type: wholeNumber(1, 100) },
      'amount-off': { help: 'part of the price with tax, in whole units', value: 'N', type: wholeNumber(1) },
      starts: { help: `start, ${when}; default: now`, value: 'D', type: pointInTime },
      ends: { help: `end, ${when}; default: until it is ended`, value: 'D', type: pointInTime },
      name: { help: 'name of the sale', value: 'NAME', required: true, positional: true },
    },
    oneOf: [
      ['item', 'user', 'product'],
      ['percent-off', 'amount-off'],
    ],
    run: async (clients, { name, starts: startsAt, ends: endsAt, ...flags }) => {
      const created = { name, target: targetOf(flags), discount: discountOf(flags), startsAt, endsAt };
      return reportOf(await clients.of('catalog').call('sales.create', created));
    },
  }),
  list: command({
    summary: 'Lists all sales, including ended ones.',
    flags: {},
    run: async (clients) => {
      const found = await clients.of('catalog').call('sales.list', {});
      return new Report(table(found.sales.map(rowOf), 'No sales.'), found);
    },
  }),
  end: command({
    summary: 'Ends a sale now.',
    flags: { id },
    run: async (clients, { id: saleId }) => reportOf(await clients.of('catalog').call('sales.end', { saleId })),
  }),
  record: command({
    summary: 'Records a purchase of a product and notifies its owner; with a known --external-id, records nothing.',
    flags: {
      product: { help: 'the product', value: 'ID', type: idText, required: true, positional: true },
      buyer: { help: 'name of the buyer; default: anonymous', value: 'NAME' },
      variant: {
        help: 'size and color; default: the representative variant of the product',
        value: 'ID',
        type: idText,
      },
      quantity: { help: 'number of pieces; default: 1', value: 'N', type: wholeNumber(1, maxQuantity) },
      'external-id': { help: 'id of the purchase in the order system', value: 'TEXT', type: ExternalId },
    },
    run: async (clients, { product: productId, buyer: buyerName, variant: variantId, quantity = 1, ...flags }) => {
      const externalId = flags['external-id'];
      const purchase = { productId, buyerName, variantId, quantity, externalId };
      return purchaseReport(await clients.of('catalog').call('sales.record', purchase));
    },
  }),
};

function purchaseReport(recorded: RecordedPurchase): Report {
  const { purchaseId: purchase, productId: product, variantId: variant, quantity, title } = recorded;
  const row = { purchase, product, variant, quantity, owner: recorded.ownerName, buyer: recorded.buyerName, title };
  const text = table([row], '');
  return new Report(recorded.isRepeated ? `${text}\nWas recorded before.` : text, recorded);
}

interface SaleFlags {
  readonly item: number | undefined;
  readonly user: string | undefined;
  readonly product: number | undefined;
  readonly 'percent-off': number | undefined;
  readonly 'amount-off': number | undefined;
}

// `oneOf` above ensures exactly one flag of each group

function targetOf({ item, user, product }: SaleFlags): SaleTarget {
  if (item !== undefined) return { kind: 'item', itemId: item };
  if (user !== undefined) return { kind: 'user', userName: user };
  return { kind: 'product', productId: product! };
}

function discountOf({ 'percent-off': percent, 'amount-off': amount }: SaleFlags): SaleDiscount {
  return percent === undefined ? { kind: 'amount', amount: amount! } : { kind: 'percent', percent };
}

const rowOf = ({ id, state, target, discount, startsAt, endsAt, name }: Sale) => ({
  id,
  state,
  target: textOf(target),
  off: discount.kind === 'percent' ? `${discount.percent}%` : discount.amount,
  starts: minute(startsAt),
  ends: endsAt && minute(endsAt),
  name,
});

const reportOf = (shown: Sale): Report => rowReport(rowOf(shown), shown);

function textOf(target: SaleTarget): string {
  if (target.kind === 'user') return `user ${target.userName}`;
  return target.kind === 'item' ? `item ${target.itemId}` : `product ${target.productId}`;
}
