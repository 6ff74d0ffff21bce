export default async function tearDown() {
  for (const child of globalThis.storefrontE2e ?? []) await child.stop();
}
