import { isIP } from 'node:net';
import { z } from 'zod';

/** Over HTTP everybody on the way could be the provider; on this machine there is no way. */
function isSafeIssuer(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, hostname, search, hash } = new URL(issuer);
  if (search !== '' || hash !== '') return false;
  const isLoopback =
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && /^127\./.test(hostname));
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}

const Provider = z.object({
  name: z.string().regex(/^[a-z0-9-]{1,50}$/, { error: 'must consist of lower-case letters, digits and hyphens' }),
  /** What people know it by. */
  label: z.string().min(1).max(100),
  issuer: z
    .string()
    .refine(isSafeIssuer, { error: 'must be an https address without query; http on this machine only' }),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
});

/** A service that people may sign in with: `[{"name":"example","label":"Example","issuer":"https://…","clientId":"…","clientSecret":"…"}]` */
export type Provider = z.output<typeof Provider>;

/** Reads the setting OIDC_PROVIDERS. Each problem is one sentence that fits behind the name of the setting. */
export function readProviders(text: string): { providers: Provider[]; problems: string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { providers: [], problems: ['must be a JSON array of providers'] };
  }
  const read = z.array(Provider).safeParse(json);
  if (!read.success)
    return { providers: [], problems: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
  const names = read.data.map(({ name }) => name);
  const doubled = names.filter((name, index) => names.indexOf(name) !== index);
  return { providers: read.data, problems: doubled.map((name) => `${name} is there twice`) };
}
