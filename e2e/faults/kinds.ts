import type { WhichRequests } from '../load/load.js';

const reads =
  (paths: RegExp): WhichRequests =>
  ({ method, path }) =>
    method === 'GET' && paths.test(path);
const writes =
  (paths: RegExp): WhichRequests =>
  ({ method, path }) =>
    method !== 'GET' && paths.test(path);

/** Kinds of requests to different apps; the rarest is sent about once per second. */
export const kinds: readonly WhichRequests[] = [
  reads(/^\/api\/v1\/(?:products|items|materials|choices)\b(?!.*\/favorites)/),
  reads(/^\/api\/v1\/.*\/favorites/),
  reads(/^\/api\/v1\/activities/),
  reads(/^\/api\/v1\/users?\b(?!.*\/favorites)/),
  reads(/^\/images\//),
  writes(/^\/api\/v1\/materials/),
  writes(/^\/api\/v1\/products\/\d+\/favorites/),
];
