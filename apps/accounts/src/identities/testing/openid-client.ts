/** This shop, as the providers of the tests know it. */
export const client = { id: 'shop', secret: 'the secret of the shop' };
