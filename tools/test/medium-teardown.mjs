export default async function tearDown() {
  await globalThis.storefrontMedium?.stop();
}
