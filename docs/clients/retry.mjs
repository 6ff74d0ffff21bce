/**
 * Middleware for openapi-fetch: `client.use(retry)`. What may succeed later is tried 5 times: after Retry-After, or 1, 2,
 * 4, 8 s, and a bit. All attempts of a POST have the same Idempotency-Key, so that it is done once.
 */
export const retry = {
  async onRequest({ request, options }) {
    const { method, headers, signal } = request;
    if (method === 'POST' && !headers.has('idempotency-key'))
      headers.set('idempotency-key', globalThis.crypto.randomUUID());
    for (let pause = 1; ; pause *= 2) {
      let answer, wait;
      try {
        answer = await options.fetch(request.clone());
        const mayPass = [429, 503, 504].includes(answer.status);
        wait = answer.ok ? null : (answer.headers.get('retry-after') ?? (mayPass ? pause : null));
      } catch (error) {
        if (signal.aborted || pause > 8) throw error;
        wait = pause;
      }
      if (wait === null || pause > 8) return answer;
      await new Promise((resolve) => setTimeout(resolve, (Number(wait) + Math.random()) * 1_000));
    }
  },
};
