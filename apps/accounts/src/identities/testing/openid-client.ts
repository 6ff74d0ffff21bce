/** Credentials of this shop at the providers of the tests. */
export const client = { id: 'shop', secret: 'the secret of the shop' };
