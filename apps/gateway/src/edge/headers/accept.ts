/**
 * Returns whether an `Accept` header prefers a page: `text/html` with at least the weight of JSON.
 */
export function wantsPage(accept = ''): boolean {
  const weights = new Map(
    accept
      .slice(0, 1_000)
      .toLowerCase()
      .split(',')
      .map((part) => {
        const [type = '', ...parameters] = part.split(';').map((it) => it.trim());
        const weight = parameters.find((it) => it.startsWith('q='))?.slice(2) ?? '1';
        return [type, Number(weight)];
      }),
  );
  const html = weights.get('text/html') ?? 0;
  return html > 0 && html >= (weights.get('application/json') ?? 0);
}
