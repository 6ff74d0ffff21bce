import { z } from 'zod';

const placeholder = /\{(product|item|size|color)\}/g;

/** A product in a variant: the id of the product, and the names of item, size and color. */
type Purchase = Readonly<Record<'product' | 'item' | 'size' | 'color', string>>;

const fill = (template: string, purchase: Purchase): string =>
  template.replaceAll(placeholder, (_, name: keyof Purchase) => encodeURIComponent(purchase[name]));

/** Returns whether the template leads to the same https:// origin for every purchase. */
function isTemplate(template: string): boolean {
  const rest = template.replaceAll(placeholder, '');
  return (
    template.includes('{product}') &&
    !/[{}]/.test(rest) &&
    URL.canParse(template) &&
    new URL(template).protocol === 'https:' &&
    !new URL(template).host.includes('{')
  );
}

/** Setting with the URL template of a shop. The output fills the template. */
export const buyUrl = z
  .string()
  .refine(isTemplate, {
    error: 'must be an https:// URL with {product} behind the host; other placeholders are {item}, {size} and {color}',
  })
  .transform((template) => (purchase: Purchase) => fill(template, purchase))
  .meta({ kind: 'https:// URL with placeholders' })
  .describe(
    'Shop that the button "Buy" of product pages opens: `https://example.com/?id={product}&item={item}&size={size}&color={color}`. ' +
      'Without it there is no button',
  );
