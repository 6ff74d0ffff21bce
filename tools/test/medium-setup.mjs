import { build } from '../build/bootstrap.mjs';
import { startChild } from './child.mjs';

/** Starts PostgreSQL and Redis for the medium tests and sets their URLs in the environment. */
export default async function setUp() {
  await build();
  const embedded = await startChild(new URL('../../dist/tools/test/embedded.js', import.meta.url).pathname);
  Object.assign(process.env, embedded.message);
  globalThis.storefrontMedium = embedded;
}
