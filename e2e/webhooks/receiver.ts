import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Event } from '#contracts';
import { type EndpointMode, endpointModes, type Exchange } from './endpoint-modes.js';

/** Webhook with a valid signature, as an endpoint has received it. */
export interface Reception {
  /** User whose endpoint has received the webhook. */
  readonly userId: number;
  /** Header `webhook-id`. */
  readonly id: string;
  readonly event: Event;
  /** True if the endpoint has sent a complete response with 2xx. */
  isAccepted: boolean;
}

/** Endpoints that stay healthy in every mode, the first ones. */
const alwaysHealthy = 2;

/** Server with an endpoint for each user. Verifies and records the webhooks. */
export class WebhookReceiver {
  mode: EndpointMode = 'healthy';
  /** Errors of the sender, as sentences. */
  readonly findings = new Set<string>();
  /** Number of requests that got the behavior of a faulty endpoint. */
  faultyRequests = 0;
  /** Time of the last accepted webhook, as of `performance.now()`. */
  lastAcceptedAt = 0;
  private receptions: Reception[] = [];
  private readonly endpoints = new Map<number, Webhook>();
  private requests = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer((request, response) => void receiver.respond(request, response));
    const receiver = new WebhookReceiver(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  urlOf(userId: number): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${userId}`;
  }

  /** Adds the endpoint of a user. */
  add(userId: number, secret: string): void {
    this.endpoints.set(userId, new Webhook(secret));
  }

  /** Returns the webhooks received since the last call. */
  take(): readonly Reception[] {
    const { receptions } = this;
    this.receptions = [];
    return receptions;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The sender may close the connection at any time
    response.on('error', () => undefined);
    const userId = Number(request.url?.slice(1));
    const isFaulty = [...this.endpoints.keys()].indexOf(userId) >= alwaysHealthy;
    const variants = endpointModes[isFaulty ? this.mode : 'healthy'];
    if (isFaulty && this.mode !== 'healthy') this.faultyRequests += 1;
    let reception: Reception | undefined;
    const exchange: Exchange = {
      request,
      response,
      receive: async () => {
        reception = this.verify(userId, request, await text(request));
        this.receptions.push(reception);
      },
      accept: () => {
        reception!.isAccepted = true;
        this.lastAcceptedAt = performance.now();
      },
    };
    try {
      await variants[this.requests++ % variants.length]!(exchange);
    } catch {
      response.writeHead(400).end();
    }
  }

  /** @throws Error for a webhook that its endpoint must reject */
  private verify(userId: number, request: IncomingMessage, body: string): Reception {
    const endpoint = this.endpoints.get(userId);
    if (!endpoint) return this.reject(`a webhook was sent to ${request.url}`);
    const headers = request.headers as Record<string, string>;
    try {
      const event = endpoint.verify(body, headers) as Event;
      return { userId, id: headers['webhook-id']!, event, isAccepted: false };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      const isTime = error.message.startsWith('Message timestamp');
      if (isTime && this.mode === 'strict') throw error;
      return this.reject(`the endpoint of user ${userId} has rejected a webhook: ${error.message}`);
    }
  }

  private reject(finding: string): never {
    this.findings.add(finding);
    throw new Error(finding);
  }
}
