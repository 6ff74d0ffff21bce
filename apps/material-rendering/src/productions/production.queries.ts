import { Injectable } from '@nestjs/common';
import type { PayloadOf, Production, ReplyOf, Services } from '#contracts';
import { Database } from '#persistence';
import { productionNotFound } from './production.errors.js';

type Rendering = Services['material-rendering'];
type Row = Omit<Production, 'createdAt' | 'updatedAt'> & { readonly createdAt: Date; readonly updatedAt: Date };

const columns = `purchase_id as "purchaseId", external_id as "externalId", quantity,
  ("order" ->> 'productId')::bigint as "productId", "order" ->> 'title' as title,
  ("order" -> 'variant' ->> 'id')::bigint as "variantId", status, reason, folder, created_at as "createdAt",
  updated_at as "updatedAt"`;

const jsonOf = ({ createdAt, updatedAt, ...row }: Row): Production => ({
  ...row,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/** Reads productions for the operator. */
@Injectable()
export class ProductionQueries {
  constructor(private readonly database: Database) {}

  async list({
    status,
    limit,
    offset,
  }: PayloadOf<Rendering, 'productions.list'>): Promise<ReplyOf<Rendering, 'productions.list'>> {
    const rows = await this.database.query<Row>(
      `select ${columns} from productions where $1::text is null or status = $1
       order by purchase_id desc limit $2 offset $3`,
      [status ?? null, limit + 1, offset],
    );
    const productions = rows.slice(0, limit).map(jsonOf);
    return { productions, nextOffset: rows.length > limit ? offset + limit : null };
  }

  /** @throws DomainError production.not-found */
  async show(purchaseId: number): Promise<Production> {
    const [row] = await this.database.query<Row>(`select ${columns} from productions where purchase_id = $1`, [
      purchaseId,
    ]);
    if (!row) throw productionNotFound(purchaseId);
    return jsonOf(row);
  }
}
