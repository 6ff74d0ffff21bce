/** Names of the caches of all apps: the label `cache` of their metrics. */
export const cacheNames = [
  ...(['accept-encoding', 'banner-copies', 'image-sources', 'items', 'openid-configurations', 'product-json'] as const),
  ...(['external-image-failures', 'gateway-responses', 'replies'] as const),
  ...(['rendering-aspect', 'rendering-blank', 'rendering-ink', 'rendering-layers', 'rendering-level'] as const),
  ...(['rendering-plan', 'responses', 'sales', 'signatures', 'texture-measurements', 'tokens'] as const),
] as const;
export type CacheName = (typeof cacheNames)[number];
