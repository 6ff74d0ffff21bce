import { randomBytes } from 'node:crypto';
import { type Registry } from 'prom-client';
import { BatchPerTick, deferred, withTimeout } from '#concurrency';
import { type Lane } from '#contracts';
import { readiness } from '#observability';
import { boundedPush, defineBoundedPush } from './bounded-push.js';
import { RedisClock, minRemeasureIntervalMs } from '../connection/clock.js';
import { isNotExecuted, QueueConnection } from '../connection/connection.js';
import { decodeReply, encodeRequest, frameFlags } from '../wire/frames.js';
import { InFlightRequests } from './in-flight-requests.js';
import { QueueKeys } from '../wire/keys.js';
import { failureOf, rejections, type Rejection } from '../local-rejections.js';
import { queueMetrics, type QueueMetrics } from '../metrics.js';
import { onServerChange } from '../connection/server-change.js';
import {
  PendingRequest,
  type Attempt,
  type Failure,
  type Outcome,
  type QueueRequest,
  type QueueReply,
} from './pending-request.js';
import { PopLoop } from '../connection/pop-loop.js';
import { silentLog, type QueueLog } from '../queue-log.js';
import { RetryBudget } from './retry-budget.js';
import { splitIntoCommands } from '../connection/split-into-commands.js';

export interface QueueTransportOptions {
  readonly redisUrl: string;
  /**
   * App that sends requests, or `operator`: the name of its Redis user, which may read its replies.
   */
  readonly app: string;
  /** Must be the prefix of the servers. */
  readonly keyPrefix?: string;
  /** Maximum of open requests per service; further ones are rejected here. Default 1,000. */
  readonly maxInFlight?: number;
  readonly log?: QueueLog;
  readonly registry?: Registry;
}

/** A safe request is sent again after half of its timeout, at the latest after this time. */
const maxRetryDelayMs = 2_000;
/**
 * Replicas reject requests that have waited for half of their timeout. A rejection before a quarter
 * of the timeout proves that the clocks differ. A rejection between a quarter and half may also be
 * due to an overload and errors of both measurements.
 */
const clockErrorShare = 0.25;
/**
 * Time for the replies of requests that were running when Redis was lost. Requests that waited in a
 * list were lost with Redis.
 */
const lostRequestTimeoutMs = 3_000;
const accepted: QueueReply = { status: 202, headers: {}, body: Buffer.alloc(0), isProblem: false };

/** Transport of all clients of a process: two connections, one reply list, the open requests. */
export class QueueTransport {
  private readonly keys: QueueKeys;
  private readonly metrics: QueueMetrics;
  private readonly commands: QueueConnection;
  private readonly blocking: QueueConnection;
  private readonly clock: RedisClock;
  private readonly loop: PopLoop;
  private readonly replyKey: string;
  private readonly maxInFlight: number;
  private readonly budget = new RetryBudget();
  private readonly requests = new InFlightRequests();
  private readonly outgoing = new BatchPerTick<Attempt>((_, attempts) => this.flush(attempts));
  private readonly connected = deferred<true>();
  private readonly stopObservers: (() => void)[] = [];

  constructor({ redisUrl, app, keyPrefix, maxInFlight = 1_000, log = silentLog, registry }: QueueTransportOptions) {
    this.keys = new QueueKeys(keyPrefix);
    this.metrics = queueMetrics(registry);
    this.maxInFlight = maxInFlight;
    const connect = (name: string): QueueConnection =>
      new QueueConnection({
        redisUrl,
        name,
        log,
        onReconnect: () => this.metrics.reconnects.inc({ connection: name }),
      });
    this.commands = connect('client:commands');
    this.blocking = connect('client:replies');
    defineBoundedPush(this.commands);
    this.clock = new RedisClock(this.commands, (offsetMs) => this.metrics.clockOffset.set(offsetMs / 1_000));
    this.clock.start(() => this.connected.resolve(true));
    onServerChange(this.commands, (connectedAt) => this.failLostRequests(connectedAt));
    this.replyKey = this.keys.replies(app, randomBytes(8).toString('hex'));
    this.loop = new PopLoop({
      connection: this.blocking,
      key: this.replyKey,
      capacity: () => 256,
      deliver: (frames) => frames.forEach((bytes) => this.receive(bytes)),
    });
    this.loop.start();
    this.stopObservers.push(readiness.addCheck('requests', () => this.commands.ready && this.blocking.ready));
  }

  /** Adds the open requests of a service to the metrics. */
  observe(service: string): void {
    this.stopObservers.push(this.metrics.clientInFlight.watch({ service }, () => this.requests.count(service)));
  }

  /** Resolves with true when requests can be sent, with false after `timeoutMs`. */
  whenReady(timeoutMs: number): Promise<boolean> {
    return withTimeout(this.connected.promise, timeoutMs, () => false);
  }

  /** Sends a request. @throws DomainError `service.*`, or the reason of the signal */
  async request(request: QueueRequest): Promise<QueueReply> {
    const { service, timeoutMs, signal } = request;
    signal?.throwIfAborted();
    const failure = this.findRejection(request);
    if (failure) {
      this.count(request, failure);
      throw failureOf(service, failure);
    }
    return new Promise((resolve, reject) => {
      const pending = new PendingRequest(request, (outcome) => {
        this.finish(pending, outcome);
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.reply);
      });
      this.requests.open(service);
      pending.after(timeoutMs, () => this.fail(pending, 'timeout'));
      if (request.safe) this.scheduleRetry(pending);
      if (request.lane !== 'usual') pending.after(timeoutMs / 2, () => void this.rejectIfWaiting(pending));
      this.send(pending);
    });
  }

  /** Closes the connections; open requests fail with 504. */
  async close(): Promise<void> {
    for (const pending of this.requests.all()) this.fail(pending, 'timeout');
    for (const stop of this.stopObservers) stop();
    this.clock.stop();
    await this.loop.stop(this.commands);
    this.blocking.close();
    this.commands.close();
  }

  private findRejection({ service, timeoutMs }: QueueRequest): Failure | undefined {
    if (timeoutMs <= 0) return 'timeout';
    if (this.requests.count(service) >= this.maxInFlight) return 'inflight';
    return this.commands.ready && this.clock.isMeasured ? undefined : 'down';
  }

  private send(pending: PendingRequest): void {
    const { service, lane, pattern, payload, headers, wantsReply } = pending.request;
    const flags = wantsReply ? 0 : frameFlags.noReply;
    const ttl = pending.remainingMs();
    const deadline = this.clock.now() + ttl;
    const { replyKey } = this;
    const attempt = this.requests.addAttempt(pending, ttl, (correlation) =>
      encodeRequest({ flags, correlation, deadline, ttl, replyKey, pattern, headers, payload }),
    );
    this.outgoing.add(this.keys.requests(service, lane), attempt);
  }

  /**
   * Sends a second attempt later, if Redis is connected then and the retry budget allows it. The
   * first attempt stays open, and the first reply to either counts.
   */
  private scheduleRetry(pending: PendingRequest): void {
    const { service, pattern, timeoutMs } = pending.request;
    this.budget.deposit();
    pending.after(Math.min(timeoutMs / 2, maxRetryDelayMs), () => {
      if (!this.commands.ready || !this.budget.withdraw()) return;
      this.metrics.retries.inc({ service, pattern });
      this.send(pending);
    });
  }

  /**
   * After a reconnection to a restarted Redis or another one: fails the requests from before it
   * that have no reply three seconds later, instead of at their deadline, so that callers can
   * retry. Most of them were lost with Redis.
   */
  private failLostRequests(connectedAt: number): void {
    for (const pending of this.requests.all())
      if (pending.startedAt < connectedAt) pending.after(lostRequestTimeoutMs, () => this.fail(pending, 'timeout'));
  }

  /** @param batch attempts of one service and lane */
  private flush(batch: readonly Attempt[], lane = batch[0]!.pending.request.lane): void {
    const open = batch.filter(({ pending }) => !pending.isSettled);
    for (const attempts of splitIntoCommands(open, ({ frame }) => frame.length)) void this.push(lane, attempts);
  }

  private async push(lane: Lane, attempts: readonly Attempt[]): Promise<void> {
    const { service } = attempts[0]!.pending.request;
    for (const attempt of attempts) attempt.list = this.keys.requests(service, lane);
    try {
      const frames = attempts.map(({ frame }) => frame);
      const pushed = await boundedPush(this.commands, this.keys, { service, lane }, frames);
      // Replicas of the previous version read one list only
      if (pushed === 'unserved' && lane === 'slow') {
        this.flush(attempts, 'usual');
        return;
      }
      const count = pushed === 'unserved' ? 0 : pushed;
      for (const { pending } of attempts.slice(0, count)) {
        if (!pending.request.wantsReply) pending.settle({ reply: accepted });
      }
      for (const attempt of attempts.slice(count)) this.reject(attempt, pushed === 'unserved' ? 'nolive' : 'full');
    } catch (error) {
      if (isNotExecuted(error)) for (const attempt of attempts) this.reject(attempt, 'down');
      else await this.handleUnknownPush(attempts);
    }
  }

  /**
   * Handles a push whose outcome is unknown: fails writes that have no reply after three seconds.
   * Sends safe requests again if Redis is connected within this time and the retry budget allows
   * it.
   */
  private async handleUnknownPush(attempts: readonly Attempt[]): Promise<void> {
    for (const { pending } of attempts)
      if (!pending.request.safe) pending.after(lostRequestTimeoutMs, () => this.fail(pending, 'timeout'));
    if (!(await this.commands.whenReady(lostRequestTimeoutMs))) return;
    for (const { pending } of attempts)
      if (pending.request.safe && !pending.isSettled && this.budget.withdraw()) this.send(pending);
  }

  /** Fails the request of a rejected attempt, unless another attempt was sent before. */
  private reject(attempt: Attempt, reason: Rejection): void {
    attempt.list = undefined;
    if (attempt.pending.attempts[0] === attempt) this.fail(attempt.pending, reason);
  }

  private receive(bytes: Buffer): void {
    const frame = decodeReply(bytes);
    if (!frame) {
      this.metrics.badFrames.inc({ side: 'client' });
      return;
    }
    const attempt = this.requests.find(frame.correlation);
    if (!attempt) {
      this.metrics.lateReplies.inc();
      return;
    }
    attempt.list = undefined;
    const { status, headers, body, flags } = frame;
    const elapsedMs = performance.now() - attempt.sentAt;
    if (flags & frameFlags.late && elapsedMs < attempt.ttl * clockErrorShare) return void this.repeat(attempt);
    attempt.pending.settle({ reply: { status, headers, body, isProblem: (flags & frameFlags.problem) !== 0 } });
  }

  /**
   * Sends a request again after a rejection that proves a clock difference, which a step of Redis'
   * clock causes. The request was not executed, so even a write is sent again, once per rejected
   * attempt, with a deadline based on a new measurement.
   */
  private async repeat(attempt: Attempt): Promise<void> {
    const { pending } = attempt;
    this.requests.removeAttempt(attempt);
    const isMeasured = (await this.clock.remeasure()) || attempt.sentAt < this.clock.measuredAt;
    const sendAgain = (): void => {
      if (pending.isSettled || pending.remainingMs() <= 0) return;
      this.metrics.clockRepeats.inc({ service: pending.request.service });
      this.send(pending);
    };
    if (isMeasured) sendAgain();
    // Both sides measure at most once per interval
    else pending.after(minRemeasureIntervalMs, () => void this.clock.remeasure().then(sendAgain));
  }

  private fail(pending: PendingRequest, failure: Exclude<Failure, 'aborted'>): void {
    pending.settle({ error: failureOf(pending.request.service, failure), failure });
  }

  private finish(pending: PendingRequest, outcome: Outcome): void {
    const { service, pattern, wantsReply } = pending.request;
    this.requests.close(pending);
    this.count(pending.request, 'error' in outcome ? outcome.failure : outcome.reply.isProblem ? 'problem' : 'ok');
    if ('reply' in outcome) {
      this.metrics.clientSeconds.observe({ service, pattern }, (performance.now() - pending.startedAt) / 1_000);
    }
    if (wantsReply) void this.removeWaiting(pending);
  }

  /**
   * Called after half of the timeout: rejects the request if it is still in its list. A replica
   * without a free slot pops no requests and therefore rejects none: the caller would get 504 for a
   * request that was not executed.
   */
  private async rejectIfWaiting(pending: PendingRequest): Promise<void> {
    if (await this.removeWaiting(pending)) this.fail(pending, 'full');
  }

  /**
   * Removes waiting attempts from the list.
   *
   * @returns true if an attempt was removed, which was not executed
   */
  private async removeWaiting({ attempts }: PendingRequest): Promise<boolean> {
    // Without Redis the frame may be in the list, so it counts as not removed
    const removed = attempts.flatMap(({ list, frame }) =>
      list === undefined ? [] : [this.commands.run((redis) => redis.lrem(list, -1, frame)).catch(() => 0)],
    );
    return (await Promise.all(removed)).some((count) => count > 0);
  }

  private count({ service, pattern }: QueueRequest, outcome: Failure | 'ok' | 'problem'): void {
    this.metrics.clientRequests.inc({ service, pattern, outcome });
    if (outcome in rejections) this.metrics.clientRejected.inc({ service, reason: outcome });
  }
}
