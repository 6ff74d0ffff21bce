/** A request with its response, for metrics and log. */
export interface CompletedRequest {
  readonly method: string;
  /** Route pattern, never the URL, which is unbounded and may contain anything. */
  readonly route: string | undefined;
  readonly status: number;
  readonly elapsedMs: number;
  readonly requestId: string;
  readonly userId: number | undefined;
  readonly traceId: string | undefined;
  /** Code of a problem. */
  readonly code?: string | undefined;
  /** Blob key of an image. */
  readonly image?: string | undefined;
}
