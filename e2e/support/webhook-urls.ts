/** Webhook URL at which no server listens. `tools/test/e2e-setup.mjs` allows this address. */
export const closedUrl = 'http://127.0.0.1:9/';
