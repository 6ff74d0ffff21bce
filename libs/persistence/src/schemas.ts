import { apps, type ServiceName, serviceNames } from '#contracts';

/** Returns the schema of a service. Each service owns one schema and one login role. */
export const schemaOf = (service: ServiceName): string => apps[service].schema;

export const schemaNames: readonly string[] = serviceNames.map(schemaOf);

/**
 * Returns the login role of a service, such as `storefront_material_rendering`. The prefix prevents
 * conflicts, because roles belong to a whole cluster.
 */
export const roleOf = (service: ServiceName): string => `storefront_${service.replaceAll('-', '_')}`;
