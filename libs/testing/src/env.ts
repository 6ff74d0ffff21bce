import { z } from 'zod';
import { databaseUrl, readEnvironment, redisUrl } from '#config';
import { serviceNames, type ServiceName } from '#contracts';

const urls = z.object({
  owner: databaseUrl,
  services: z.object(
    Object.fromEntries(serviceNames.map((name) => [name, databaseUrl])) as Record<ServiceName, z.ZodString>,
  ),
});

/** What the setup of the medium tests leaves for the test files: the servers it started. */
export const readTestEnvironment = () =>
  readEnvironment(
    z.object({
      /** Of the template database: as owner and as every service's role. */
      STOREFRONT_TEST_DATABASES: z
        .string({ error: 'is missing: run this test through jest\'s project "medium"' })
        .transform((text): unknown => JSON.parse(text))
        .pipe(urls),
      STOREFRONT_TEST_REDIS_URL: redisUrl,
      /** A folder for this run; removed at its end. */
      STOREFRONT_TEST_FOLDER: z.string(),
    }),
  );
