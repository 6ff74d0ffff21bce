import { Injectable } from '@nestjs/common';
import { Cache } from '#cache';
import { RawReply } from '#request-queue';
import { CatalogSettings } from '../catalog.settings.js';
import { CacheValidator } from './cache-validator.queries.js';
import { isSameContext, type ProductContext } from './context.snapshot.js';

/** A response and the data version that it was read with. */
interface VersionedResponse {
  readonly reply: RawReply;
  /** Undefined if the response is specific to the viewer: it is not cached then. */
  readonly version: string | undefined;
}

/** Id that no user has, so that validation finds no drafts. */
const anyViewer = 0;

/**
 * Response cache for viewers without drafts. Every hit is validated against the data version, so
 * that no viewer gets a response older than a commit, of the viewer or of other users.
 */
@Injectable()
export class ResponseCache {
  private readonly responses: Cache<VersionedResponse>;
  /** Context of all cached responses. */
  private context: ProductContext | undefined;

  constructor(
    private readonly validator: CacheValidator,
    { cacheBytes }: CatalogSettings,
  ) {
    this.responses = new Cache({
      name: 'responses',
      maxBytes: cacheBytes,
      // Includes the headers of the reply
      bytesOf: ({ reply }) => reply.body.length + 750,
      ttlMs: ({ version }) => (version === undefined ? 0 : Infinity),
    });
  }

  /**
   * Returns the cached response, the one of a load in flight, or the one that `load` returns.
   *
   * @param key identifies the response, except for the viewer
   * @param viewerId null if the response is the same for all viewers who may see it, drafts or not
   * @param context current context
   * @param load reads the response for this viewer
   */
  async get(
    key: string,
    viewerId: number | null,
    context: ProductContext,
    load: () => Promise<VersionedResponse>,
  ): Promise<RawReply> {
    const calledAt = performance.now();
    this.switchContext(context);
    if (this.responses.peek(key) || this.responses.inFlight(key)) {
      // If the validation fails, treat it as a miss
      const validation = await this.validator.validate(viewerId ?? anyViewer).catch(() => undefined);
      if (validation && !validation.hasDrafts && this.isCurrent(context)) {
        const cached = this.responses.get(key, ({ version }) => version === validation.version);
        if (cached) return cached.reply;
        const loading = this.responses.inFlight(key, calledAt);
        // A failure is not shared: the caller that started the load may have had less time left
        const shared = loading && (await loading.catch(() => undefined));
        if (shared?.version !== undefined) {
          this.responses.count('shared');
          return shared.reply;
        }
      }
      // Another caller has switched to a newer context: its responses stay cached, and this one is
      // not
      if (!this.isCurrent(context)) {
        this.responses.count('miss');
        return (await load()).reply;
      }
    }
    return (await this.responses.reload(key, load)).reply;
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
