import { apps, type ServiceName, serviceNames } from '#contracts';

/** Each service owns one schema and one login role. */
export const schemaOf = (service: ServiceName): string => apps[service].schema;

export const schemaNames: readonly string[] = serviceNames.map(schemaOf);

/** The login role of a service: `storefront_material_rendering`. Roles belong to a whole cluster, hence the prefix. */
export const roleOf = (service: ServiceName): string => `storefront_${service.replaceAll('-', '_')}`;
