export default async function tearDown() {
  await globalThis.storefrontE2e?.stop();
}
