import { randomBytes } from 'node:crypto';
import { type Registry } from 'prom-client';
import { BatchPerTick, deferred, withTimeout } from '#concurrency';
import { type Lane } from '#contracts';
import { readiness } from '#observability';
import { boundedPush, prepareBoundedPush } from './bounded-push.js';
import { RedisClock, remeasureEveryMs } from '../connection/clock.js';
import { certainlyNotDone, QueueConnection } from '../connection/connection.js';
import { decodeReply, encodeRequest, frameFlags } from '../wire/frames.js';
import { InFlightRequests } from './in-flight-requests.js';
import { QueueKeys } from '../wire/keys.js';
import { failureOf, rejections, type Rejection } from '../local-rejections.js';
import { queueMetrics, type QueueMetrics } from '../metrics.js';
import { onOtherServer } from '../connection/other-server.js';
import {
  Pending,
  type Attempt,
  type Failure,
  type Outcome,
  type PendingRequest,
  type QueueReply,
} from './pending-request.js';
import { PopLoop } from '../connection/pop-loop.js';
import { silentLog, type QueueLog } from '../queue-log.js';
import { RetryBudget } from './retry-budget.js';
import { splitIntoCommands } from '../connection/split-into-commands.js';

export interface QueueTransportOptions {
  readonly redisUrl: string;
  /** The app that sends requests, or `operator`: the name of its user in Redis, which may read its replies. */
  readonly app: string;
  /** Must equal the one of the servers. */
  readonly keyPrefix?: string;
  /** Open requests for each service before further ones are rejected here. Default 1,000. */
  readonly maxInFlight?: number;
  readonly log?: QueueLog;
  readonly registry?: Registry;
}

/** A safe request is sent again after half of its time, at most after this. */
const maximumTryMs = 2_000;
/**
 * Replicas reject what has waited for half of its time. A rejection before a quarter of it shows that the clocks disagree;
 * between the two it may be the error of two measurements in a real overload.
 */
const disagreeingShare = 0.25;
/** What was being served when Redis was lost is answered by then; what was lost with it never is. */
const forgottenAfterMs = 3_000;
const accepted: QueueReply = { status: 202, headers: {}, body: Buffer.alloc(0), isProblem: false };

/** What all clients of a process share: two connections, one reply list, the open requests. */
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
  private readonly watched: (() => void)[] = [];

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
    prepareBoundedPush(this.commands);
    this.clock = new RedisClock(this.commands, (offset) => this.metrics.clockOffset.set(offset));
    this.clock.start(() => this.connected.resolve(true));
    onOtherServer(this.commands, (since) => this.giveUpForgotten(since));
    this.replyKey = this.keys.replies(app, randomBytes(8).toString('hex'));
    this.loop = new PopLoop({
      connection: this.blocking,
      key: this.replyKey,
      room: () => 256,
      deliver: (frames) => frames.forEach((bytes) => this.receive(bytes)),
    });
    this.loop.start();
    this.watched.push(readiness.addCheck('requests', () => this.commands.ready && this.blocking.ready));
  }

  /** Shows in the metrics how much a service is asked. */
  show(service: string): void {
    this.watched.push(this.metrics.clientInFlight.watch({ service }, () => this.requests.count(service)));
  }

  /** True as soon as requests can be sent, false when that was not so within `timeoutMs`. */
  whenReady(timeoutMs: number): Promise<boolean> {
    return withTimeout(this.connected.promise, timeoutMs, () => false);
  }

  /** @throws DomainError `service.*`, or the reason of the signal */
  async request(request: PendingRequest): Promise<QueueReply> {
    const { service, timeoutMs, signal } = request;
    signal?.throwIfAborted();
    const failure = this.obstacle(request);
    if (failure) {
      this.count(request, failure);
      throw failureOf(service, failure);
    }
    return new Promise((resolve, reject) => {
      const pending = new Pending(request, (outcome) => {
        this.ended(pending, outcome);
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.reply);
      });
      this.requests.open(service);
      pending.after(timeoutMs, () => this.fail(pending, 'timeout'));
      if (request.safe) this.planRetry(pending);
      if (request.lane !== 'usual') pending.after(timeoutMs / 2, () => void this.rejectWaiting(pending));
      this.attempt(pending);
    });
  }

  /** Ends the connections; open requests fail as unanswered. */
  async close(): Promise<void> {
    for (const pending of this.requests.all()) this.fail(pending, 'timeout');
    for (const forget of this.watched) forget();
    this.clock.stop();
    await this.loop.stop(this.commands);
    this.blocking.close();
    this.commands.close();
  }

  private obstacle({ service, timeoutMs }: PendingRequest): Failure | undefined {
    if (timeoutMs <= 0) return 'timeout';
    if (this.requests.count(service) >= this.maxInFlight) return 'inflight';
    return this.commands.ready && this.clock.measured ? undefined : 'down';
  }

  private attempt(pending: Pending): void {
    const { service, lane, pattern, payload, headers, wantsReply } = pending.request;
    const flags = wantsReply ? 0 : frameFlags.noReply;
    const ttl = pending.remainingMs();
    const deadline = this.clock.now() + ttl;
    const { replyKey } = this;
    const attempt = this.requests.add(pending, ttl, (correlation) =>
      encodeRequest({ flags, correlation, deadline, ttl, replyKey, pattern, headers, payload }),
    );
    this.outgoing.add(this.keys.requests(service, lane), attempt);
  }

  /** The first try stays open: whichever is answered first counts, so a slow replica costs nothing but the second try. */
  private planRetry(pending: Pending): void {
    const { service, pattern, timeoutMs } = pending.request;
    this.budget.deposit();
    pending.after(Math.min(timeoutMs / 2, maximumTryMs), () => {
      if (!this.commands.ready || !this.budget.withdraw()) return;
      this.metrics.retries.inc({ service, pattern });
      this.attempt(pending);
    });
  }

  /** To wait for the deadline of what a killed Redis has forgotten would only keep the caller from trying again. */
  private giveUpForgotten(since: number): void {
    for (const pending of this.requests.all())
      if (pending.startedAt < since) pending.after(forgottenAfterMs, () => this.fail(pending, 'timeout'));
  }

  /** @param gathered of one service and lane */
  private flush(gathered: readonly Attempt[], lane = gathered[0]!.pending.request.lane): void {
    const wanted = gathered.filter(({ pending }) => !pending.settled);
    for (const attempts of splitIntoCommands(wanted, ({ frame }) => frame.length)) void this.push(lane, attempts);
  }

  private async push(lane: Lane, attempts: readonly Attempt[]): Promise<void> {
    const { service } = attempts[0]!.pending.request;
    for (const attempt of attempts) attempt.list = this.keys.requests(service, lane);
    try {
      const frames = attempts.map(({ frame }) => frame);
      const pushed = await boundedPush(this.commands, this.keys, { service, lane }, frames);
      // Replicas of the version before read one list only
      if (pushed === 'unserved' && lane === 'slow') {
        this.flush(attempts, 'usual');
        return;
      }
      const room = pushed === 'unserved' ? 0 : pushed;
      for (const { pending } of attempts.slice(0, room)) {
        if (!pending.request.wantsReply) pending.settle({ reply: accepted });
      }
      for (const attempt of attempts.slice(room)) this.reject(attempt, pushed === 'unserved' ? 'nolive' : 'full');
    } catch (error) {
      if (certainlyNotDone(error)) for (const attempt of attempts) this.reject(attempt, 'down');
      else await this.pushedPerhaps(attempts);
    }
  }

  /** An unknown outcome is not a failure yet, but not worth a long wait either. What may be asked twice is. */
  private async pushedPerhaps(attempts: readonly Attempt[]): Promise<void> {
    for (const { pending } of attempts)
      if (!pending.request.safe) pending.after(forgottenAfterMs, () => this.fail(pending, 'timeout'));
    if (!(await this.commands.whenReady(forgottenAfterMs))) return;
    for (const { pending } of attempts)
      if (pending.request.safe && !pending.settled && this.budget.withdraw()) this.attempt(pending);
  }

  /** A second try that finds no room changes nothing for the first one. */
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
    if (flags & frameFlags.late && elapsedMs < attempt.ttl * disagreeingShare) return void this.repeat(attempt);
    attempt.pending.settle({ reply: { status, headers, body, isProblem: (flags & frameFlags.problem) !== 0 } });
  }

  /**
   * The clocks of this process and of a replica disagree, which a step of Redis' clock leads to. The request was not
   * executed and may be a write: it is sent again once for each rejected try, with a newly measured deadline.
   */
  private async repeat(attempt: Attempt): Promise<void> {
    const { pending } = attempt;
    this.requests.drop(attempt);
    const measured = (await this.clock.remeasure()) || attempt.sentAt < this.clock.measuredAt;
    const again = (): void => {
      if (pending.settled || pending.remainingMs() <= 0) return;
      this.metrics.clockRepeats.inc({ service: pending.request.service });
      this.attempt(pending);
    };
    if (measured) again();
    // Both sides measure at most as often
    else pending.after(remeasureEveryMs, () => void this.clock.remeasure().then(again));
  }

  private fail(pending: Pending, failure: Exclude<Failure, 'aborted'>): void {
    pending.settle({ error: failureOf(pending.request.service, failure), failure });
  }

  private ended(pending: Pending, outcome: Outcome): void {
    const { service, pattern, wantsReply } = pending.request;
    this.requests.close(pending);
    this.count(pending.request, 'error' in outcome ? outcome.failure : outcome.reply.isProblem ? 'problem' : 'ok');
    if ('reply' in outcome) {
      this.metrics.clientSeconds.observe({ service, pattern }, (performance.now() - pending.startedAt) / 1_000);
    }
    if (wantsReply) void this.withdraw(pending);
  }

  /**
   * Rejects a request that has waited for half of its time. A replica without a free slot takes no request, and so rejects
   * none: without this the caller would see 504, and not know that it was not executed.
   */
  private async rejectWaiting(pending: Pending): Promise<void> {
    if (await this.withdraw(pending)) this.fail(pending, 'full');
  }

  /** Takes what still waits out of the list. @returns whether anything did, and so was certainly not executed */
  private async withdraw({ attempts }: Pending): Promise<boolean> {
    // Redis away: the frame may be in the list, so it counts as not removed
    const removed = attempts.flatMap(({ list, frame }) =>
      list === undefined ? [] : [this.commands.run((redis) => redis.lrem(list, -1, frame)).catch(() => 0)],
    );
    return (await Promise.all(removed)).some((count) => count > 0);
  }

  private count({ service, pattern }: PendingRequest, outcome: Failure | 'ok' | 'problem'): void {
    this.metrics.clientRequests.inc({ service, pattern, outcome });
    if (outcome in rejections) this.metrics.clientRejected.inc({ service, reason: outcome });
  }
}
