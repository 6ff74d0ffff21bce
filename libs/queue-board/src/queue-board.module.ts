import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { internalAreas, type InternalPage } from '#observability';
import { BoardAuthentication } from './board-authentication.js';
import type { QueueBoard } from './queue-board.js';

const OPTIONS = Symbol('options of QueueBoardModule');

const path = '/queues';

interface QueueBoardModuleOptions {
  /** Undefined: nothing is shown. */
  readonly password: string | undefined;
  readonly jobsUrl: string;
  readonly prefix?: string;
}

/** Shows the queues of all services at `/queues` of the internal port, to who has the password. */
@Module({})
export class QueueBoardModule implements OnApplicationShutdown {
  private board: Promise<QueueBoard> | undefined;
  private readonly forget: () => void;

  constructor(@Inject(OPTIONS) private readonly options: QueueBoardModuleOptions) {
    this.forget =
      options.password === undefined ? () => undefined : this.show(new BoardAuthentication(options.password));
  }

  static with(options: QueueBoardModuleOptions): DynamicModule {
    return { module: QueueBoardModule, providers: [{ provide: OPTIONS, useValue: options }] };
  }

  async onApplicationShutdown(): Promise<void> {
    this.forget();
    (await this.board?.catch(() => undefined))?.close();
  }

  private show(authentication: BoardAuthentication): () => void {
    const answer = async (request: IncomingMessage): Promise<InternalPage> =>
      (await authentication.rejectionOf(request)) ?? this.answer(request);
    return internalAreas.declare({ path, methods: ['PUT'], answer });
  }

  private async answer({ method = '', url = '' }: IncomingMessage): Promise<InternalPage> {
    const { pathname, searchParams } = new URL(url, 'http://board');
    const board = await (this.board ??= this.open());
    return board.answer(method, pathname.slice(path.length), searchParams);
  }

  /** For who looks at it first: others need not pay for it, neither with memory nor with a connection. */
  private async open(): Promise<QueueBoard> {
    try {
      const { QueueBoard } = await import('./queue-board.js');
      return new QueueBoard({ ...this.options, path });
    } catch (error) {
      // Whoever looks next tries again
      this.board = undefined;
      throw error;
    }
  }
}
