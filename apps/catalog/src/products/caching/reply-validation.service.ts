import { Injectable } from '@nestjs/common';
import { type PayloadOf, type Services } from '#contracts';
import { ItemCache } from '../../items/item.cache.js';
import { SaleCache } from '../../sales/sale.cache.js';
import { CacheValidator } from './cache-validator.queries.js';
import { ReplyValidity } from './reply-validity.rules.js';

type CachedReplies = PayloadOf<Services['catalog'], 'replies.validate'>['replies'];

/** Decides whether callers may use the replies again that they have cached. */
@Injectable()
export class ReplyValidationService {
  constructor(
    private readonly validator: CacheValidator,
    private readonly catalog: ItemCache,
    private readonly sales: SaleCache,
    private readonly validity: ReplyValidity,
  ) {}

  /** Returns for each cached reply whether the same reply would be sent to the viewer now. */
  async validate(replies: CachedReplies): Promise<boolean[]> {
    const ofItemsOnly = replies.every(({ validity }) => validity.startsWith('items '));
    const data = ofItemsOnly ? noData : await this.validator.validate(viewersOf(replies));
    const changed = replies.flatMap(({ validity }) => {
      const product = ReplyValidity.productOf(validity);
      return product && product.version !== data.version ? [product.id] : [];
    });
    const rows = changed.length > 0 ? await this.validator.rowVersions(changed) : noRows;
    // After the data version: a request would use the current items and sales, too
    const context = { catalog: await this.catalog.current(), sales: await this.sales.running() };
    const forAll = [this.validity.ofItems(context.catalog), this.validity.ofProducts('any', data.version, context)];
    const forPublic = this.validity.ofProducts('public', data.version, context);
    return replies.map(({ validity, viewerId }) => {
      if (validity === forPublic) return viewerId === null || !data.viewersWithDrafts.includes(viewerId);
      const product = ReplyValidity.productOf(validity);
      if (product) {
        const rowVersion = product.version === data.version ? product.rowVersion : rows.get(product.id);
        return (
          rowVersion === product.rowVersion && validity === this.validity.ofProduct(product, product.version, context)
        );
      }
      return forAll.includes(validity) || validity === this.validity.ofMaterials(viewerId, data.version);
    });
  }
}

/** For replies that do not depend on the data. No reply has this version. */
const noData: Awaited<ReturnType<CacheValidator['validate']>> = { version: '', viewersWithDrafts: [] };

const noRows: ReadonlyMap<number, string> = new Map();

/** Returns the viewers whose drafts decide. */
const viewersOf = (replies: CachedReplies): number[] =>
  replies.flatMap(({ validity, viewerId }) => (validity.startsWith('public ') ? (viewerId ?? []) : []));
