import { type CachedBody, type LastReply, type ReplyCache } from './reply-cache.js';
import { type ReplyValidator } from './reply-validator.js';

/** A cached reply that its caller may use again while the service confirms it. */
export class ReusableReply {
  constructor(
    private readonly cache: ReplyCache,
    private readonly validator: ReplyValidator,
    private readonly request: string,
    private readonly reply: LastReply,
    /** True if only the viewer of the request may get the reply. */
    readonly isPerViewer: boolean,
  ) {}

  /** Returns the body; undefined if it was evicted, or the cache has another reply. */
  body(): CachedBody | undefined {
    return this.cache.bodyOf(this.request, this.reply);
  }

  /**
   * Returns whether the service would send the same reply to a viewer now. False without a message
   * if the last replies to the request were never used again.
   */
  async isValidFor(viewerId: number | null): Promise<boolean> {
    if (!this.cache.isWorthValidating(this.request)) return false;
    return this.validator.isValid({ validity: this.reply.validity!, viewerId });
  }

  /** Counts a use of the reply. */
  countHit(): void {
    this.cache.countUse(this.request, this.reply);
  }
}
