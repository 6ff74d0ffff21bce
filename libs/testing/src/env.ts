import { z } from 'zod';
import { databaseUrl, readEnvironment, redisUrl } from '#config';
import { serviceNames, type ServiceName } from '#contracts';

const urls = z.object({
  owner: databaseUrl,
  services: z.object(
    Object.fromEntries(serviceNames.map((name) => [name, databaseUrl])) as Record<ServiceName, z.ZodString>,
  ),
});

/**
 * Reads the variables that the setup of the medium tests sets: the servers that it started, and a
 * folder.
 */
export const readTestEnvironment = () =>
  readEnvironment(
    z.object({
      /** URLs of the template database: as the owner and as the role of each service. */
      STOREFRONT_TEST_DATABASES: z
        .string({ error: 'is missing: run this test through jest\'s project "medium"' })
        .transform((text): unknown => JSON.parse(text))
        .pipe(urls),
      STOREFRONT_TEST_REDIS_URL: redisUrl,
      /** A folder for this run, which is deleted at its end. */
      STOREFRONT_TEST_FOLDER: z.string(),
    }),
  );
