/** Whether an `Accept` header asks for a page: it names `text/html`, and likes JSON no better. */
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
