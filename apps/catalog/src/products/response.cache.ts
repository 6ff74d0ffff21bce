import { Injectable } from '@nestjs/common';
import { Cache } from '#cache';
import { RawReply } from '#request-queue';
import { CatalogSettings } from '../catalog.settings.js';
import { CacheValidator } from './cache-validator.queries.js';
import { isSameContext, type ProductContext } from './context.snapshot.js';

/** A response, and the version of the data that it was made of. */
interface VersionedResponse {
  readonly reply: RawReply;
  /** Undefined if the response is for this viewer alone: it is not cached. */
  readonly version: string | undefined;
}

/** No user has this id, so it has no drafts. */
const anyViewer = 0;

/**
 * Response cache for viewers without drafts. Every hit is validated against the data version, so that no viewer gets a response
 * from before a commit, their own or another's.
 */
@Injectable()
export class ResponseCache {
  private readonly responses: Cache<VersionedResponse>;
  /** The context of all cached responses. */
  private context: ProductContext | undefined;

  constructor(
    private readonly validator: CacheValidator,
    { cacheBytes }: CatalogSettings,
  ) {
    this.responses = new Cache({
      name: 'responses',
      maxBytes: cacheBytes,
      // With the headers of the reply
      bytesOf: ({ reply }) => reply.body.length + 750,
      ttlMs: ({ version }) => (version === undefined ? 0 : Infinity),
    });
  }

  /**
   * Returns the cached response, one that is being made for another caller, or the one that `make` makes.
   *
   * @param key everything that decides the response but the viewer
   * @param viewerId null if the response is the same for all viewers who may see it, drafts or not
   * @param context of now
   * @param make makes the response for this viewer
   */
  async get(
    key: string,
    viewerId: number | null,
    context: ProductContext,
    make: () => Promise<VersionedResponse>,
  ): Promise<RawReply> {
    const calledAt = performance.now();
    this.use(context);
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
      // Another caller has a newer context: its responses stay cached, and this one is not
      if (!this.isCurrent(context)) {
        this.responses.count('miss');
        return (await make()).reply;
      }
    }
    return (await this.responses.reload(key, make)).reply;
  }

  /** Responses that were made with other items or sales are invalid, and would hold those in memory. */
  private use(context: ProductContext): void {
    if (this.isCurrent(context)) return;
    this.responses.clear();
    this.context = context;
  }

  private isCurrent(context: ProductContext): boolean {
    return this.context !== undefined && isSameContext(this.context, context);
  }
}
