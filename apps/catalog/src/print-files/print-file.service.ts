import { Injectable } from '@nestjs/common';
import {
  type PayloadOf,
  printFileExtensions,
  printFileUrl,
  printFileUrlSeconds,
  type PrintFilesResponse,
  type PrintOrder,
  problems,
  type Services,
  type StoredPrintFiles,
} from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { Database } from '#persistence';
import { QueueClients, RawReply } from '#request-queue';
import type { z } from 'zod';
import { CatalogSettings } from '../catalog.settings.js';
import { type CatalogSnapshot } from '../items/catalog.snapshot.js';
import { ItemCache } from '../items/item.cache.js';
import { ValidationErrors } from '../products/validation-errors.rules.js';
import {
  missingPlacesOf,
  type PrintedProduct,
  printedPlacesOf,
  type PrintFilesRequest,
  printOrderOf,
} from './print-file.rules.js';
import { PrintedProductQueries } from './printed-product.queries.js';

type ProductRequest = Pick<PrintFilesRequest, 'viewerId' | 'productId' | 'ofAnyOwner'>;
type Response = z.output<typeof PrintFilesResponse>;

/** Print files of products, which material-rendering makes. */
@Injectable()
export class PrintFileService {
  constructor(
    private readonly settings: CatalogSettings,
    private readonly catalog: ItemCache,
    private readonly clients: QueueClients,
    private readonly database: Database,
    private readonly products: PrintedProductQueries,
    private readonly keys: IdempotencyKeys,
  ) {}

  /**
   * Requests the print files of an own product. A repeated request returns the state of the same
   * files, because material-rendering stores each order once.
   *
   * @returns a PrintFilesResponse with status 202
   * @throws DomainError product.not-found, product.not-owned, 422 with the offending paths, and
   *   those of the idempotency key
   */
  create(request: PrintFilesRequest): Promise<RawReply> {
    const { viewerId, idempotency } = request;
    return this.keys.once({ viewerId, operation: 'print-files.create', idempotency }, async (storeReply) => {
      const product = await this.productOf(request);
      const order = this.orderOf(product, await this.catalog.current(), request);
      const isLimited = !request.ofAnyOwner;
      const stored = await this.clients.of('material-rendering').call('print-files.request', { ...order, isLimited });
      const reply = RawReply.json(JSON.stringify(this.responseOf(stored)), { status: 202 });
      return this.database.transaction((tx) => storeReply(tx, reply));
    });
  }

  /** @throws DomainError product.not-found, product.not-owned, print-files.not-found */
  async get(request: PayloadOf<Services['catalog'], 'print-files.get'>): Promise<Response> {
    const { productId, printFilesId } = request;
    await this.productOf(request);
    const rendering = this.clients.of('material-rendering');
    return this.responseOf(await rendering.call('print-files.status', { productId, printFilesId }));
  }

  /** @throws DomainError 422 with a path for each unknown variant and place */
  private orderOf(product: PrintedProduct, catalog: CatalogSnapshot, request: PrintFilesRequest): PrintOrder {
    const order = printOrderOf(product, catalog, request);
    const wanted = request.places ?? printedPlacesOf(product, catalog.item(product.itemId)!);
    const errors = new ValidationErrors();
    for (const place of missingPlacesOf(order, wanted))
      errors.add(problems['print-place.not-of-item'], 'params.productId', `the item has no print area ${place}`);
    errors.throwIfAny();
    return order;
  }

  private productOf({ viewerId, productId, ofAnyOwner }: ProductRequest): Promise<PrintedProduct> {
    return ofAnyOwner ? this.products.ofAnyOwner(productId) : this.products.ofOwner(viewerId, productId);
  }

  private responseOf({ id, status, progress, files, ticket, warnings, storedUntil }: StoredPrintFiles): Response {
    const expires = Math.floor(Math.min(Date.now() / 1_000 + printFileUrlSeconds, Date.parse(storedUntil) / 1_000));
    const expiresAt = new Date(1_000 * expires).toISOString();
    const urlOf = (name: string): string =>
      printFileUrl(this.settings.baseUrl, { printFilesId: id, name, expires }, this.settings.imageSigningSecret);
    return {
      printFiles: {
        id,
        status,
        progress,
        files: files.map((file) => ({
          ...file,
          url: urlOf(`${file.sha256}.${printFileExtensions[file.format]}`),
          expiresAt,
        })),
        ticketUrl: ticket === null ? null : urlOf(`${ticket}.json`),
        warnings,
      },
    };
  }
}
