import { z } from 'zod';
import { isLoopback } from '#kernel';

/**
 * Returns true for an issuer without query and fragment that uses HTTPS, or HTTP on this machine:
 * elsewhere anyone on the network path could impersonate an HTTP issuer.
 */
function isSafeIssuer(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const url = new URL(issuer);
  if (url.search !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

const Provider = z.object({
  name: z.string().regex(/^[a-z0-9-]{1,50}$/, { error: 'must consist of lower-case letters, digits and hyphens' }),
  /** Display name. */
  label: z.string().min(1).max(100),
  issuer: z
    .string()
    .refine(isSafeIssuer, { error: 'must be an https address without query; http on this machine only' }),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
});

/**
 * Provider in the setting OIDC_PROVIDERS:
 * `[{"name":"example","label":"Example","issuer":"https://…","clientId":"…","clientSecret":"…"}]`
 */
export type Provider = z.output<typeof Provider>;

/**
 * Parses the setting OIDC_PROVIDERS. Each problem is a phrase that follows the name of the setting
 * in the error message.
 */
export function readProviders(text: string): { providers: Provider[]; problems: string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { providers: [], problems: ['must be a JSON array of providers'] };
  }
  const parsed = z.array(Provider).safeParse(json);
  if (!parsed.success)
    return { providers: [], problems: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
  const names = parsed.data.map(({ name }) => name);
  const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
  return { providers: parsed.data, problems: duplicates.map((name) => `${name} is configured twice`) };
}
