import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Request to an endpoint, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Reads and records the webhook. */
  readonly receive: () => Promise<void>;
  /** Records that the endpoint has accepted the webhook. Called before a complete 2xx response. */
  readonly accept: () => void;
}

type Respond = (exchange: Exchange) => unknown;

const slowMs = 2_000;
const megabyte = Buffer.alloc(1024 ** 2, 'x');

/** Receives the webhook, then sends these bytes as the response and closes the connection. */
const raw =
  (bytes: string): Respond =>
  async ({ request, receive }) => {
    await receive();
    request.socket.end(bytes);
  };

const redirect =
  (status: number): Respond =>
  async ({ response, receive }) => {
    await receive();
    response.writeHead(status, { location: '/redirected' }).end();
  };

const acceptAfter =
  (ms: number): Respond =>
  async ({ response, receive, accept }) => {
    await receive();
    await sleep(ms);
    accept();
    response.writeHead(204).end();
  };

const healthy = acceptAfter(0);

/** Behaviors of endpoints, with the variants that successive requests get. */
export const endpointModes = {
  healthy: [healthy],
  slow: [acceptAfter(slowMs)],
  hanging: [({ receive }) => receive()],
  resetting: [
    ({ request }) => request.socket.resetAndDestroy(),
    async ({ request, receive }) => {
      await receive();
      request.socket.resetAndDestroy();
    },
    async ({ request, response, receive }) => {
      await receive();
      response.writeHead(200, { 'content-length': 100 }).write('incomplete', () => request.socket.resetAndDestroy());
    },
  ],
  lying: [
    raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nincomplete'),
    raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\nno chunk\r\n'),
    raw('SSH-2.0-OpenSSH_9.6\r\n'),
    async ({ response, receive }) => {
      await receive();
      response.writeHead(500).end();
    },
  ],
  redirecting: [301, 302, 303, 307, 308].map(redirect),
  oversized: [
    async ({ response, receive, accept }) => {
      await receive();
      accept();
      response.writeHead(200);
      // The client closes the connection after 64 KB
      await pipeline(Readable.from(Array.from({ length: 16 }, () => megabyte)), response).catch(() => undefined);
    },
    raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
  ],
  /**
   * Responds like `healthy`. A webhook whose timestamp is too old or too new is rejected in every
   * mode; only in this one the rejection is expected.
   */
  strict: [healthy],
} as const satisfies Record<string, readonly Respond[]>;

export type EndpointMode = keyof typeof endpointModes;
