import { z } from 'zod';
import { FairQueue, type FairQueueOptions } from '#concurrency';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { callerTicket } from '../caller-ticket.limiter.js';
import { type FrameMessage, FrameReader } from './child-frames.js';
import type { Child, ChildEnd } from './child-process.js';

interface BoundedChildOptions<Answer> {
  /** Starts the process: `startChild`, or `sandboxedChild`. */
  readonly start: () => Child;
  /** What one order may take, in milliseconds, start of the process included. */
  readonly timeoutMs: number;
  /** The limit of the process's data in bytes. */
  readonly memoryBytes: number;
  /** What a reply must look like: the child opens what clients send, and may have been taken over. */
  readonly reply: z.ZodType<Answer>;
  /** Limits of the orders that wait for the child; one order runs at a time. */
  readonly queue: Omit<FairQueueOptions, 'permits'>;
}

/**
 * The child ended during an order: it took too long (`late`), it `aborted` itself, which native code does when it gets no
 * memory, or the process `died`, of the order or because another process killed it.
 */
export class ChildLost extends Error {
  override readonly name = 'ChildLost';

  constructor(readonly how: 'late' | ChildEnd) {
    super(how === 'late' ? 'the child took too long' : `the child ${how}`);
  }
}

const readiness = z.object({ ready: z.literal(true) });
/** With each answer of a child: the order's number, and the bytes of memory that the child uses. */
const answers = z.looseObject({ id: z.int(), memory: z.int().nonnegative() });

// Native heaps only ever grow in pieces: a fresh process now and then keeps the memory limit meaningful. Images of up to
// 4 megapixels took 190 MB after 100 orders and after 500; a start takes 200 ms of processor time
const ordersPerChild = 250;
interface Job {
  readonly id: number;
  readonly settle: (outcome: Outcome) => void;
}
type Outcome = { readonly answer: unknown; readonly memory: number } | Error;

/**
 * Native work on what a client sent, in a warm child process, one order at a time. An order that takes too long, needs
 * too much memory or crashes costs that child and nothing else; the next one starts in a new child.
 */
export class BoundedChild<Order extends object, Answer> {
  private child: Child | undefined;
  private current: Job | undefined;
  private orders = 0;
  private closed = false;
  private readonly queue: FairQueue;

  constructor(private readonly options: BoundedChildOptions<Answer>) {
    this.queue = new FairQueue({ ...options.queue, permits: 1 });
  }

  /** Starts the child before the first order comes. */
  warm(): void {
    if (!this.closed) this.child ??= this.start();
  }

  /**
   * @param prepare makes the order once it is its turn
   * @param ticket how the order waits; as interactive work of the current caller by default
   * @throws DomainError `service.overloaded` when too many orders wait
   * @throws ChildLost when the child did not outlive the order
   * @throws DomainError `service.unavailable` when the child cannot be started: not the order's fault
   * @throws Error when it is closed
   */
  ask(prepare: () => Order | Promise<Order>, ticket = callerTicket('interactive')): Promise<Answer> {
    return this.queue.run(async () => this.askNow(await prepare()), ticket);
  }

  close(): void {
    this.closed = true;
    this.discard();
    this.current?.settle(new Error('the child was closed'));
  }

  /** The child's process id, while there is one: for tests and logs. */
  get id(): number | undefined {
    return this.child?.id;
  }

  private async askNow(order: Order): Promise<Answer> {
    if (this.closed) throw new Error('the child is closed');
    this.warm();
    this.orders += 1;
    const id = this.orders;
    const outcome = await new Promise<Outcome>((resolve) => {
      const late = setTimeout(() => {
        this.discard();
        resolve(new ChildLost('late'));
      }, this.options.timeoutMs);
      const settle = (result: Outcome): void => {
        clearTimeout(late);
        resolve(result);
      };
      this.current = { id, settle };
      // What cannot be sent is not the order's fault, nor that of this process: the child's end tells it
      this.child?.send({ ...order, id });
    });
    this.current = undefined;
    // Caches of native code fill at the pace of the orders: the half that is free is for one of them
    const full = !(outcome instanceof Error) && outcome.memory > this.options.memoryBytes / 2;
    if (full || id % ordersPerChild === 0) this.discard();
    this.warm();
    if (outcome instanceof Error) throw outcome;
    return outcome.answer as Answer;
  }

  private start(): Child {
    const child = this.options.start();
    const reader = new FrameReader();
    let isReady = false;
    const lost = (how: ChildEnd): void => this.lost(child, isReady ? new ChildLost(how) : notStarted());
    child.receive((piece) => {
      try {
        for (const message of reader.read(piece))
          if (isReady) this.answered(child, message);
          else isReady = readiness.parse(message).ready;
      } catch {
        // The child may have been taken over: nothing that it sends after this counts
        lost('died');
        child.kill();
      }
    });
    void child.ended.then(lost);
    return child;
  }

  /** @throws Error when it is no reply to an order */
  private answered(child: Child, message: FrameMessage): void {
    const { id, memory, ...answer } = answers.parse(message);
    if (this.child !== child) return;
    if (this.current?.id !== id) throw new Error(`a reply to order ${id}, which does not run`);
    this.current.settle({ answer: this.options.reply.parse(answer), memory });
  }

  private lost(child: Child, outcome: Error): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.current?.settle(outcome);
  }

  private discard(): void {
    const child = this.child;
    this.child = undefined;
    child?.kill();
  }
}

/** The program is not built (`npm run build`), it is wrong, or the sandbox does not run. */
const notStarted = (): DomainError =>
  new DomainError(
    problems['service.unavailable'],
    'The process that opens images and texts did not start; try again in a moment.',
    undefined,
    {
      'Retry-After': '1',
    },
  );
