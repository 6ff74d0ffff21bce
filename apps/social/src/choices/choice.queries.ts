import { Injectable } from '@nestjs/common';
import type { Choice, PayloadOf, ProductVariant, Services } from '#contracts';
import { cutPage, Database, pageWindow, type Tx, userSummary } from '#persistence';
import { problemFrom, QueueClients, RawReply } from '#request-queue';
import { countedProduct, visibleProduct } from '../products/visible-product.queries.js';
import { choiceNotFound } from './choice.errors.js';
import { pageOfChoices } from './choice-page.queries.js';

/** Columns of a `Choice` as the viewer sees it, from `choices c` joined with `accounts.users u`. */
const columns = (viewerId: string): string => `
  c.id, c.title, c.description, c.secret, c.banner_url as "bannerUrl", (
    select count(*) from choice_products e join catalog.products p on p.id = e.product_id
    where e.choice_id = c.id and ${countedProduct('p', viewerId)}
  ) as "productsCount", ${userSummary('u')} as user`;

const visible = '(not c.secret or c.user_id = $2)';

const readOne = `
  select ${columns('$2')}
  from choices c join accounts.users u on u.id = c.user_id
  where c.id = $1 and ${visible}`;

type Entry = ProductVariant | { readonly productId: null };

const emptyPage = RawReply.page('{"products":[],"meta":{"hasNext":false}}', null).tagged();

/** Queries of choices and their products, with their replies. */
@Injectable()
export class ChoiceQueries {
  constructor(
    private readonly database: Database,
    private readonly clients: QueueClients,
  ) {}

  /** Returns the choices that the viewer may see, newest first, as a ChoiceListResponse. */
  async list(request: PayloadOf<Services['social'], 'choices.list'>): Promise<RawReply> {
    const page = pageOfChoices(request);
    const rows = await this.database.read<Choice>(
      `with page as (${page.sql})
       select ${columns(`$${page.parameters.length + 1}`)}
       from page join choices c on c.id = page.id join accounts.users u on u.id = c.user_id
       order by page.created_at desc, page.id desc`,
      [...page.parameters, request.viewerId],
    );
    const { shown, nextOffset } = cutPage(rows, request);
    return RawReply.page(JSON.stringify({ choices: shown, meta: { hasNext: nextOffset !== null } }), nextOffset);
  }

  /**
   * Returns a choice as the viewer sees it.
   *
   * @param tx transaction whose uncommitted changes are included
   * @returns a ChoiceResponse
   * @throws DomainError choice.not-found, also for a secret choice of another user
   */
  async get(viewerId: number, choiceId: number, tx?: Tx): Promise<RawReply> {
    const parameters = [choiceId, viewerId];
    const [choice] = tx
      ? await tx.query<Choice[]>(readOne, parameters)
      : await this.database.read<Choice>(readOne, parameters);
    if (!choice) throw choiceNotFound(choiceId);
    return RawReply.json(JSON.stringify({ choice }));
  }

  /**
   * Returns the products of a choice that the viewer may see, in the order of the choice. This
   * service selects the page; the catalog serializes its products, and its reply is passed on
   * unchanged.
   *
   * @returns a ProductListResponse
   * @throws DomainError choice.not-found, or the error of the catalog
   */
  async products(request: PayloadOf<Services['social'], 'choices.products'>): Promise<RawReply> {
    const { viewerId, choiceId, nameLanguage } = request;
    const rows = await this.database.read<Entry>(
      `with page as (
         select e.product_id, e.item_variant_id, e.position
         from choice_products e join catalog.products p on p.id = e.product_id
         where e.choice_id = $1 and ${visibleProduct('p', '$2')}
         order by e.position ${pageWindow(request)}
       )
       select page.product_id as "productId", page.item_variant_id as "itemVariantId"
       from choices c left join page on true
       where c.id = $1 and ${visible}
       order by page.position`,
      [choiceId, viewerId],
    );
    if (rows.length === 0) throw choiceNotFound(choiceId);
    const entries = rows.filter((row): row is ProductVariant => row.productId !== null);
    const { shown, nextOffset } = cutPage(entries, request);
    if (shown.length === 0) return emptyPage;
    const wanted = { viewerId, entries: shown, nextOffset, nameLanguage };
    const reply = await this.clients.of('catalog').request('products.page', wanted);
    if (reply.isProblem) throw problemFrom(reply);
    return RawReply.json(reply.body, reply);
  }
}
