import { operations } from '#contracts';

const patterns = Object.values(operations).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
}));

/** The methods that an address of the API knows: what `Allow` says beside a 405. */
export function methodsAt(url: string): string[] {
  const [path = ''] = url.split('?');
  return [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
