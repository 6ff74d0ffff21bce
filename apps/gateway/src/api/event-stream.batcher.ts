import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EventType, operations, problems, type ReplyOf, type Services } from '#contracts';
import { DomainError } from '#kernel';
import { Log } from '#observability';
import { QueueClients, runInCall } from '#request-queue';
import type { z } from 'zod';
import { Admission } from '../edge/admission/admission.js';
import { Authentication } from '../edge/authentication/authentication.js';
import { EventStreamResponse } from '../edge/connections/event-stream-response.js';
import { GracefulShutdown } from '../edge/connections/graceful-shutdown.js';
import { OpenRequests } from '../edge/connections/open-requests.js';
import { httpMetrics } from '../edge/observability/http-metrics.js';

/** Maximum of concurrent streams of a user in this process. */
const maxPerUser = 5;
/** Maximum of concurrent streams in this process. */
const maxStreams = 1_000;

const pollIntervalMs = 1_000;
const heartbeatIntervalMs = 15_000;
const timeoutMs = 5_000;
/** Events of a page: at most 1 MB. */
const pageSize = 50;

/**
 * Time after which a client reconnects. Random, so that the clients of a gateway do not reconnect
 * at once.
 */
const retryMs = (): number => 1_000 + Math.floor(Math.random() * 2_000);

interface StreamOptions {
  readonly userId: number;
  /** All types if undefined. */
  readonly types: readonly z.output<typeof EventType>[] | undefined;
  /** A cursor, or `latest`. */
  readonly after: string;
}

type Page = ReplyOf<Services['webhooks'], 'events.follow'>;

interface EventStream extends Omit<StreamOptions, 'after'> {
  readonly request: FastifyRequest;
  response?: EventStreamResponse;
  /** Everything up to this cursor was sent. */
  cursor: string;
  /** True while events are read or sent. */
  isReading: boolean;
}

/**
 * Event streams of this process. Each second, one message asks which users of the streams have new
 * events, of any type. Only the streams of these users read the log.
 */
@Injectable()
export class EventStreamBatcher implements OnModuleInit, OnModuleDestroy {
  private readonly streams = new Set<EventStream>();
  private unregisterMetrics: () => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;
  private isPolling = false;

  constructor(
    private readonly clients: QueueClients,
    private readonly authentication: Authentication,
    private readonly admission: Admission,
    private readonly openRequests: OpenRequests,
    private readonly shutdown: GracefulShutdown,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.unregisterMetrics = httpMetrics().streams.watch({}, () => this.streams.size);
    this.shutdown.onBegin(() => this.endAll());
    this.timer = setInterval(() => void this.poll(), pollIntervalMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.endAll();
    this.unregisterMetrics();
  }

  /**
   * Responds with a stream, which then holds no permit and has no time limit. During the shutdown
   * the stream ends at once: clients reconnect after the end of a stream, and not after an error.
   *
   * @throws DomainError event-stream.too-many, event.cursor-expired
   */
  async open(request: FastifyRequest, reply: FastifyReply, { after, ...options }: StreamOptions): Promise<void> {
    this.checkLimits(options.userId);
    const stream: EventStream = { ...options, request, cursor: after, isReading: true };
    this.streams.add(stream);
    try {
      const page = await this.read(stream);
      if (page.events.length === 0) stream.cursor = page.cursor;
      const response = (stream.response = new EventStreamResponse(reply));
      response.onClose(() => this.streams.delete(stream));
      if (!response.isOpen) this.streams.delete(stream);
      this.openRequests.removeTimeout(request.raw);
      this.admission.release(request);
      await response.write(`retry: ${retryMs()}\nid: ${stream.cursor}\n\n`);
      if (this.shutdown.hasBegun) response.end();
      else void this.follow(stream, page);
    } catch (error) {
      this.streams.delete(stream);
      throw error;
    }
  }

  private checkLimits(userId: number): void {
    const ofUser = [...this.streams].filter((it) => it.userId === userId).length;
    if (ofUser < maxPerUser && this.streams.size < maxStreams) return;
    const detail =
      ofUser < maxPerUser ? 'Too many streams are open; retry later.' : `At most ${maxPerUser} streams may be open.`;
    throw new DomainError(problems['event-stream.too-many'], detail, undefined, { 'retry-after': '5' });
  }

  private endAll(): void {
    for (const { response } of this.streams) response?.end();
  }

  private async poll(): Promise<void> {
    if (this.isPolling || this.streams.size === 0) return;
    this.isPolling = true;
    try {
      const streams = [...this.streams];
      const isAllowed = await Promise.all(streams.map((stream) => this.checkToken(stream)));
      await this.followNewest(streams.filter(({ isReading }, index) => isAllowed[index]! && !isReading));
    } catch (error) {
      this.log.warn({ err: error }, 'Event streams: the log was not read, retrying');
    } finally {
      this.isPolling = false;
    }
  }

  /**
   * Ends the stream if its token was revoked or has expired.
   *
   * @returns true if the token is valid; false also if the check failed
   */
  private async checkToken({ request, response }: EventStream): Promise<boolean> {
    try {
      await this.authentication.authenticate(request, operations['events.stream']);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.status === 401) response?.end();
      else this.log.warn({ err: error }, 'Event stream: the token was not checked, retrying');
      return false;
    }
  }

  /** Sends new events to the streams, and moves the cursors of the others to the end of the log. */
  private async followNewest(streams: readonly EventStream[]): Promise<void> {
    if (streams.length === 0) return;
    const cursors = new Map<number, number>();
    for (const { userId, cursor } of streams)
      cursors.set(userId, Math.min(Number(cursor), cursors.get(userId) ?? Infinity));
    const users = [...cursors].map(([userId, after]) => ({ userId, after: String(after) }));
    const { userIds, cursor } = await this.inCall('streams', () =>
      this.clients.of('webhooks').call('events.newest', { users }),
    );
    const withEvents = new Set(userIds);
    for (const stream of streams) {
      if (withEvents.has(stream.userId)) void this.follow(stream);
      else {
        stream.cursor = cursor;
        this.writeCursor(stream);
      }
    }
  }

  /** Sends the events after the cursor, at the speed of the client. */
  private async follow(stream: EventStream, first?: Page): Promise<void> {
    stream.isReading = true;
    try {
      let page = first ?? (await this.read(stream));
      for (;;) {
        for (const { cursor, event } of page.events) {
          if (!stream.response!.isOpen) return;
          await stream.response!.write(`id: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`);
          stream.cursor = cursor;
        }
        stream.cursor = page.cursor;
        if (!page.hasNext || !stream.response!.isOpen) return;
        page = await this.read(stream);
      }
    } catch (error) {
      // The response to the next connection reports the expiry
      if (error instanceof DomainError && error.kind.code === 'event.cursor-expired') stream.response!.end();
      else this.log.warn({ err: error }, 'Event stream: the log was not read, retrying');
    } finally {
      stream.isReading = false;
      this.writeCursor(stream);
    }
  }

  /**
   * Sends the cursor if nothing was sent for `heartbeatIntervalMs`, so that a client without events
   * does not reconnect with an expired cursor.
   */
  private writeCursor({ response, cursor }: EventStream): void {
    if (response && performance.now() - response.writtenAt >= heartbeatIntervalMs)
      void response.write(`: heartbeat\nid: ${cursor}\n\n`);
  }

  private read({ userId, types, cursor }: EventStream): Promise<Page> {
    const request = { viewerId: userId, after: cursor, types: types && [...types], limit: pageSize };
    return this.inCall(`user ${userId}`, () => this.clients.of('webhooks').call('events.follow', request));
  }

  /**
   * Runs `work` in a call context of its own, with its own deadline: a stream outlives the deadline
   * of the request that opened it, and the poll belongs to no request.
   */
  private inCall<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    return runInCall({ requestId: randomUUID(), caller: () => caller, timeoutMs }, work);
  }
}
