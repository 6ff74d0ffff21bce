/** Address at which no server listens. `tools/test/e2e-setup.mjs` allows loopback addresses. */
export const closedUrl = 'http://127.0.0.1:9/';
