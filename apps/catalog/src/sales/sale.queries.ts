import { Injectable } from '@nestjs/common';
import { type Sale, type SaleDiscount, type SaleTarget } from '#contracts';
import { Database } from '#persistence';
import { userNotFound } from '../users/user.errors.js';
import { saleNotFound } from './sale.errors.js';
import { isRunning, type StoredSale } from './sale.rules.js';

/** A row of `sales s`, as selected by `columns`. */
interface SaleRow {
  readonly id: number;
  readonly name: string;
  readonly itemId: number | null;
  readonly userId: number | null;
  readonly productId: number | null;
  readonly percent: number | null;
  readonly amount: number | null;
  readonly startsAt: Date;
  readonly endsAt: Date | null;
}

// The end set by an operator takes precedence over the planned one
const columns = `
  s.id, s.name, s.item_id as "itemId", s.user_id as "userId", s.product_id as "productId", s.percent, s.amount,
  s.starts_at as "startsAt", coalesce(s.ended_at, s.ends_at) as "endsAt"`;

/** Reads sales and the users that they refer to. */
@Injectable()
export class SaleQueries {
  constructor(private readonly database: Database) {}

  /** Returns the running and future sales. */
  async notEnded(): Promise<StoredSale[]> {
    const rows = await this.database.query<SaleRow>(
      `select ${columns} from sales s where s.ended_at is null and (s.ends_at is null or s.ends_at > now())
       order by s.id`,
    );
    return rows.map((row) => ({ ...row, discount: discountOf(row) }));
  }

  /** Returns all sales, newest first. */
  list(): Promise<Sale[]> {
    return this.sales('', []);
  }

  /** @throws DomainError sale.not-found */
  async get(saleId: number): Promise<Sale> {
    const [sale] = await this.sales('where s.id = $1', [saleId]);
    if (!sale) throw saleNotFound(saleId);
    return sale;
  }

  /**
   * Returns the id of the user with exactly this name.
   *
   * @throws DomainError user.not-found, also for the name of the built-in anonymous user
   */
  async userIdByName(name: string): Promise<number> {
    const [user] = await this.database.query<{ id: number }>(
      'select id from accounts.users where lower(name) = lower($1) and name = $1 and id > 0',
      [name],
    );
    if (!user) throw userNotFound(name);
    return user.id;
  }

  private async sales(where: string, parameters: readonly unknown[]): Promise<Sale[]> {
    const rows = await this.database.query<SaleRow & { userName: string | null }>(
      `select ${columns}, u.name as "userName" from sales s left join accounts.users u on u.id = s.user_id ${where}
       order by s.created_at desc, s.id desc`,
      parameters,
    );
    const now = new Date();
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      target: targetOf(row),
      discount: discountOf(row),
      startsAt: row.startsAt.toISOString(),
      endsAt: row.endsAt?.toISOString() ?? null,
      state: stateOf(row, now),
    }));
  }
}

const discountOf = ({ percent, amount }: SaleRow): SaleDiscount =>
  percent === null ? { kind: 'amount', amount: amount! } : { kind: 'percent', percent };

function targetOf({ itemId, productId, userName }: SaleRow & { userName: string | null }): SaleTarget {
  if (itemId !== null) return { kind: 'item', itemId };
  if (productId !== null) return { kind: 'product', productId };
  return { kind: 'user', userName: userName! };
}

function stateOf(sale: SaleRow, now: Date): Sale['state'] {
  if (isRunning(sale, now)) return 'running';
  return sale.endsAt !== null && sale.endsAt <= now ? 'ended' : 'upcoming';
}
