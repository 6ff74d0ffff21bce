import { Injectable } from '@nestjs/common';
import { Cache, ValueUse } from '#cache';
import { RawReply } from '#request-queue';
import { CatalogSettings } from '../../catalog.settings.js';
import { CacheValidator } from './cache-validator.queries.js';
import { isSameContext, type ProductContext } from '../context.snapshot.js';
import { type VersionedProduct } from '../product-rows.queries.js';
import { ReplyValidity } from './reply-validity.rules.js';

/** A response and the data version that it was read with. */
interface VersionedResponse {
  readonly reply: RawReply;
  /**
   * Undefined for a response that must not be cached: only its viewer may get it, or it was built
   * with another context than the current one.
   */
  readonly version: string | undefined;
  /** The only product of the response, if it contains no other data. */
  readonly product?: VersionedProduct;
}

type CachedResponse = VersionedResponse & { readonly use: ValueUse };

/** Id of the built-in anonymous user, who has no products, so that validation finds no drafts. */
export const anyViewer = 0;

/**
 * Response cache for viewers without drafts, and for responses that are the same for every viewer.
 * Every hit is validated against the data version, so that a response includes all commits before
 * its request, of the viewer and of other users.
 */
@Injectable()
export class ResponseCache {
  private readonly responses: Cache<CachedResponse>;
  /** Context of all cached responses. */
  private context: ProductContext | undefined;

  constructor(
    private readonly validator: CacheValidator,
    private readonly validity: ReplyValidity,
    { cacheBytes }: CatalogSettings,
  ) {
    this.responses = new Cache({
      name: 'responses',
      maxBytes: cacheBytes,
      // 750 bytes for the headers of the reply
      bytesOf: ({ reply }) => reply.body.length + 750,
      ttlMs: ({ version }) => (version === undefined ? 0 : Infinity),
    });
  }

  /**
   * Returns the cached response if it is valid, otherwise the response of a load that started after
   * the call, otherwise the response of `load`. A response is not validated if those before it were
   * never used again.
   *
   * @param response identifies the response, except for viewer and language
   * @param viewerId null for a response that is the same for every viewer who may see it, even for
   *   a viewer with drafts
   * @param context current context
   * @param load reads the response for this viewer
   */
  async get(
    response: string,
    viewerId: number | null,
    context: ProductContext,
    load: () => Promise<VersionedResponse>,
  ): Promise<RawReply> {
    const calledAt = performance.now();
    const key = `${context.nameLanguage} ${response}`;
    this.switchContext(context);
    const before = this.responses.peek(key);
    if (before?.use.isWorthValidating || this.responses.inFlight(key)) {
      // If the validation fails, treat it as a miss
      const viewer = viewerId ?? anyViewer;
      const validation = await this.validator.validate([viewer]).catch(() => undefined);
      if (validation && !validation.viewersWithDrafts.includes(viewer) && this.isCurrent(context)) {
        const cached = this.responses.get(key, ({ version }) => version === validation.version);
        if (cached) {
          cached.use.wasUsed = true;
          return cached.reply;
        }
        const loading = this.responses.inFlight(key, calledAt);
        // A failure is not shared: the caller that started the load may have had less time left
        const shared = loading && (await loading.catch(() => undefined));
        // At another version, the viewer may have drafts, which the load of another viewer lacks
        const isForViewer = viewer === anyViewer || shared?.version === validation.version;
        if (shared?.version !== undefined && isForViewer) {
          this.responses.count('shared');
          return shared.reply;
        }
      }
      // Another caller has switched the context, usually to a newer one: the responses of that
      // context stay cached, and the response of this call is not cached
      if (!this.isCurrent(context)) {
        this.responses.count('miss');
        return (await load()).reply;
      }
    }
    const { reply } = await this.responses.reload(key, async () => {
      const loaded = this.withValidity(viewerId, context, await load());
      return { ...loaded, use: ValueUse.after(before?.use, before?.version === loaded.version) };
    });
    return reply;
  }

  /** Allows callers to use a reply again that may be cached. */
  private withValidity(
    viewerId: number | null,
    context: ProductContext,
    { reply, version, product }: VersionedResponse,
  ): VersionedResponse {
    if (version === undefined) return { reply, version };
    const validity = product
      ? this.validity.ofProduct(product, version, context)
      : this.validity.ofProducts(viewerId === null ? 'any' : 'public', version, context);
    return { reply: reply.validWhile(validity), version };
  }

  /**
   * Clears the cache if the context has changed: cached responses are invalid, and would retain the
   * old items and sales.
   */
  private switchContext(context: ProductContext): void {
    if (this.isCurrent(context)) return;
    this.responses.clear();
    this.context = context;
  }

  private isCurrent(context: ProductContext): boolean {
    return this.context !== undefined && isSameContext(this.context, context);
  }
}
