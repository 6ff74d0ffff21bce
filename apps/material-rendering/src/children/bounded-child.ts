import { z } from 'zod';
import { FairQueue, type FairQueueOptions } from '#concurrency';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { callerTicket } from '../caller-ticket.js';
import { type FrameMessage, FrameReader } from '#children/child-frames.js';
import type { Child, ChildEnd } from '#children/child-process.js';
import { overloaded } from '../overload.errors.js';

interface BoundedChildOptions<Reply> {
  /** Starts the process: `startChild`, or `sandboxedChild`. */
  readonly start: () => Child;
  /** Timeout of one task in milliseconds, including the start of the process. */
  readonly timeoutMs: number;
  /** Limit of one task's processor time in milliseconds. Default: none. */
  readonly cpuMs?: number;
  /** Limit of the process's data in bytes. */
  readonly memoryBytes: number;
  /**
   * Schema of a reply. Replies are validated because the child decodes bytes of clients and may be
   * compromised.
   */
  readonly reply: z.ZodType<Reply>;
  /** Limits of the tasks that wait for the child. One task runs at a time. */
  readonly queue: Omit<FairQueueOptions, 'permits'>;
}

/**
 * Error of a task whose child ended. `timed-out`: killed after the timeout. `cpu-exceeded`: the
 * task used too much processor time. `aborted`: native code aborts when an allocation fails.
 * `died`: any other reason, such as a crash, a kill by another process, or an invalid reply.
 */
export class ChildTerminated extends Error {
  override readonly name = 'ChildTerminated';

  constructor(readonly reason: 'timed-out' | ChildEnd) {
    super(reason === 'timed-out' ? 'the child exceeded the timeout' : `the child ${reason}`);
  }
}

const readySchema = z.object({ ready: z.literal(true) });
/**
 * Fields of every reply: the number of the task, and the memory in bytes that counts towards the
 * limit of the child (`dataMeter`).
 */
const replySchema = z.looseObject({ id: z.int(), memory: z.int().nonnegative() });

// Native heaps fragment and grow, so the child is replaced regularly and the memory limit stays
// meaningful. A new decoder has 98 MB of data. With images of up to 3 megapixels it had 272 MB at
// most in 900 tasks, and in the first 100; with AVIF of 9 and JPEG of 49 among them it had 332
// after 200 tasks, 321 after 600 (203 of them resident) and 390 at most. A start takes 130 ms of
// processor time, as much as 100 small images
const tasksPerChild = 2_500;
interface RunningTask {
  readonly id: number;
  readonly settle: (outcome: Outcome) => void;
}
type Outcome = { readonly reply: unknown; readonly memory: number } | Error;

/**
 * Warm child process for native work on data of clients, one task at a time. A task that exceeds
 * the timeout or the memory limit, or crashes, ends only that child. The next task runs in a new
 * child.
 */
export class BoundedChild<Task extends object, Reply> {
  private child: Child | undefined;
  private current: RunningTask | undefined;
  private taskCount = 0;
  private closed = false;
  private readonly queue: FairQueue;

  constructor(private readonly options: BoundedChildOptions<Reply>) {
    this.queue = new FairQueue({ ...options.queue, permits: 1 });
  }

  /** Starts the child, unless one is running, ahead of the next task. */
  warm(): void {
    if (!this.closed) this.child ??= this.start();
  }

  /**
   * Runs a task in the child and returns the reply.
   *
   * @param prepare creates the task when it starts; errors of `prepare` are thrown unchanged
   * @param ticket priority and caller; interactive work of the current caller by default
   * @throws DomainError `service.overloaded` when too many tasks wait or the task has waited too
   *   long; never for background work
   * @throws ChildTerminated when the child ended during the task
   * @throws DomainError `service.unavailable` when the child cannot be started, which does not
   *   depend on the task, or when `close` was called, also during the task
   */
  run(prepare: () => Task | Promise<Task>, ticket = callerTicket('interactive')): Promise<Reply> {
    return this.queue.run(async () => this.runNow(await prepare()), ticket);
  }

  close(): void {
    this.closed = true;
    this.discard();
    this.current?.settle(stopping());
  }

  /** Process id of the running child, for tests and logs. */
  get id(): number | undefined {
    return this.child?.id;
  }

  private async runNow(task: Task): Promise<Reply> {
    if (this.closed) throw stopping();
    this.warm();
    this.taskCount += 1;
    const id = this.taskCount;
    const outcome = await new Promise<Outcome>((resolve) => {
      const timeout = setTimeout(() => {
        this.discard();
        resolve(new ChildTerminated('timed-out'));
      }, this.options.timeoutMs);
      const settle = (result: Outcome): void => {
        clearTimeout(timeout);
        resolve(result);
      };
      this.current = { id, settle };
      // A failed write is not handled here: the child has ended, and `ended` settles this task
      this.child?.send({ ...task, id, cpuMs: this.options.cpuMs });
    });
    this.current = undefined;
    // Caches of native code grow with each task. Half of the limit must stay free for the next task
    const isFull = !(outcome instanceof Error) && outcome.memory > this.options.memoryBytes / 2;
    if (isFull || id % tasksPerChild === 0) this.discard();
    this.warm();
    if (outcome instanceof Error) throw outcome;
    return outcome.reply as Reply;
  }

  private start(): Child {
    const child = this.options.start();
    const reader = new FrameReader();
    let isReady = false;
    const fail = (end: ChildEnd): void => this.handleEnd(child, isReady ? new ChildTerminated(end) : notStarted());
    child.receive((piece) => {
      try {
        for (const message of reader.read(piece))
          if (isReady) this.handleReply(child, message);
          else isReady = readySchema.parse(message).ready;
      } catch {
        // An invalid message suggests a compromised child, so everything after it is ignored
        fail('died');
        child.kill();
      }
    });
    void child.ended.then(fail);
    return child;
  }

  /** @throws Error when the message is not the reply to the running task */
  private handleReply(child: Child, message: FrameMessage): void {
    const { id, memory, ...reply } = replySchema.parse(message);
    if (this.child !== child) return;
    if (this.current?.id !== id) throw new Error(`reply to task ${id}, which is not running`);
    this.current.settle({ reply: this.options.reply.parse(reply), memory });
  }

  private handleEnd(child: Child, error: Error): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.current?.settle(error);
  }

  private discard(): void {
    const child = this.child;
    this.child = undefined;
    child?.kill();
  }
}

/**
 * Error of a child that ended before it was ready: its program is not built (`npm run build`) or
 * fails at startup, or the sandbox is not running.
 */
const notStarted = (): DomainError =>
  unavailable('The process that decodes images and renders texts did not start; try again in a moment.');

/** Error of a task that is not finished when the service stops. */
export const stopping = (): DomainError => unavailable('The service is stopping; try again in a moment.');

const unavailable = (detail: string): DomainError =>
  new DomainError(problems['service.unavailable'], detail, undefined, { 'Retry-After': '1' });

/**
 * Returns a function that turns a timeout into `service.overloaded`, and rethrows other errors: for
 * tasks that exceed their timeout only on a machine under load.
 *
 * @param kind of the requests, such as `image`
 */
export const rethrowTimeoutAsOverloaded =
  (kind: string) =>
  (error: unknown): never => {
    throw error instanceof ChildTerminated && error.reason === 'timed-out' ? overloaded(kind) : error;
  };
