import type { WhichRequests } from '../load/load.js';

const readsOf =
  (paths: RegExp): WhichRequests =>
  ({ method, path }) =>
    method === 'GET' && paths.test(path);
const writesOf =
  (paths: RegExp): WhichRequests =>
  ({ method, path }) =>
    method !== 'GET' && paths.test(path);

/**
 * Kinds of requests, by the apps that serve them. At 40 requests/s the rarest is sent about once
 * per second.
 */
export const requestKinds: readonly WhichRequests[] = [
  readsOf(/^\/api\/v1\/(?:products|items|materials|choices)\b(?!.*\/favorites)/),
  readsOf(/^\/api\/v1\/.*\/favorites/),
  readsOf(/^\/api\/v1\/activities/),
  readsOf(/^\/api\/v1\/users?\b(?!.*\/favorites)/),
  readsOf(/^\/images\//),
  writesOf(/^\/api\/v1\/materials/),
  writesOf(/^\/api\/v1\/products\/\d+\/favorites/),
];
