import { operator } from './shop.js';

// Operator commands that tests run, as functions.

const flags = (values: Readonly<Record<string, string | number | undefined>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));

export const violate = (materialId: number, reason = 'a trademark'): Promise<any> =>
  operator('material', 'violate', ...flags({ id: materialId, reason }));

export const clear = (materialId: number): Promise<any> =>
  operator('material', 'clear', ...flags({ id: materialId, reason: 'a licence was shown' }));

export interface NewSale {
  readonly name?: string;
  readonly item?: number;
  readonly user?: string;
  readonly product?: number;
  readonly percent?: number;
  readonly amount?: number;
  readonly starts?: string;
  readonly ends?: string;
}

export const createSale = ({ percent, amount, ...sale }: NewSale): Promise<any> =>
  operator('sale', 'create', ...flags({ name: 'Sale', 'percent-off': percent, 'amount-off': amount, ...sale }));
export const listSales = (): Promise<any> => operator('sale', 'list');
export const endSale = (id: number): Promise<any> => operator('sale', 'end', ...flags({ id }));
export const recordSale = (product: number, buyer?: string): Promise<any> =>
  operator('sale', 'record', ...flags({ product, buyer }));

export const createBanner = (
  size: string,
  url: string,
  link: { readonly altText?: string; readonly linkUrl?: string } = {},
): Promise<any> =>
  operator(
    'banner',
    'create',
    ...flags({ 'display-size': size, 'image-url': url, 'alt-text': link.altText, 'link-url': link.linkUrl }),
  );
export const deleteBanner = (id: number): Promise<any> => operator('banner', 'delete', ...flags({ id }));
export const createPromotion = (name: string, category: string, url: string): Promise<any> =>
  operator('promotion', 'create', ...flags({ name, category, url }));
export const deletePromotion = (id: number): Promise<any> => operator('promotion', 'delete', ...flags({ id }));

interface CommandError {
  readonly code?: string;
  readonly message: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Returns the error of an operator command: `code: message; path message`, or only the message of
 * an error without a code, for example a usage error. Returns `expected an error: ...` if the
 * command succeeds.
 */
export const operatorError = (command: Promise<unknown>): Promise<string> =>
  command.then(
    (result) => `expected an error: ${JSON.stringify(result)}`,
    (error: unknown) => {
      const { code, message, errors = [] } = JSON.parse((error as Error).message) as CommandError;
      return [
        code === undefined ? message : `${code}: ${message}`,
        ...errors.map((it) => `${it.path} ${it.message}`),
      ].join('; ');
    },
  );
