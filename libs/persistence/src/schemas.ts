import type { ServiceName } from '#contracts';

/** Each service owns one schema and one login role. In the order of migration: others read `accounts`. */
export const schemas = {
  accounts: 'accounts',
  catalog: 'catalog',
  'material-rendering': 'rendering',
  social: 'social',
  activity: 'activity',
} as const satisfies Record<ServiceName, string>;

export const schemaOf = (service: ServiceName): string => schemas[service];

/** The login role of a service: `storefront_material_rendering`. Roles belong to a whole cluster, hence the prefix. */
export const roleOf = (service: ServiceName): string => `storefront_${service.replaceAll('-', '_')}`;
