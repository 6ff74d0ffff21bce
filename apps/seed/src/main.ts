import { DomainError } from '#kernel';
import { seed, seedProducts } from '#demo-shop';
import { readEnv } from './env.js';

// Fills a shop that runs elsewhere, in containers, as `npm start` fills its own. What is there already stays.
const env = readEnv();
try {
  const { REDIS_REQUESTS_URL: requestsUrl, GATEWAY_URL: localUrl, DEMO_PASSWORD: password } = env;
  const say = (line: string) => console.log(line);
  const { apiKey } = await seed({ requestsUrl, password, say });
  await seedProducts({ requestsUrl, localUrl, apiKey, say });
} catch (error) {
  console.error(error instanceof DomainError ? error.message : error);
  process.exitCode = 1;
}
