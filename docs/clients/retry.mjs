/**
 * Middleware for openapi-fetch: `client.use(retry)`. Retries temporary failures, up to 5 attempts:
 * after Retry-After, or 1, 2, 4, 8 s plus jitter. All attempts of a POST have the same
 * Idempotency-Key, so that it is executed at most once.
 */
export const retry = {
  async onRequest({ request, options }) {
    const { method, headers, signal } = request;
    if (method === 'POST' && !headers.has('idempotency-key'))
      headers.set('idempotency-key', globalThis.crypto.randomUUID());
    for (let pause = 1; ; pause *= 2) {
      let response, wait;
      try {
        response = await options.fetch(request.clone());
        const isTemporary = [429, 503, 504].includes(response.status);
        wait = response.ok ? null : (response.headers.get('retry-after') ?? (isTemporary ? pause : null));
      } catch (error) {
        if (signal.aborted || pause > 8) throw error;
        wait = pause;
      }
      if (wait === null || pause > 8) return response;
      await new Promise((resolve) => setTimeout(resolve, (Number(wait) + Math.random()) * 1_000));
    }
  },
};
