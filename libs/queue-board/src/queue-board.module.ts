import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { internalRoutes, type InternalResponse } from '#observability';
import { BoardAuthentication } from './board-authentication.js';
import type { QueueBoard } from './queue-board.js';

const OPTIONS = Symbol('options of QueueBoardModule');

const path = '/queues';

interface QueueBoardModuleOptions {
  /** Password of the operator. Without it there is no board. */
  readonly password: string | undefined;
  readonly jobsUrl: string;
  readonly prefix?: string;
}

/**
 * Queue board: shows the queues of all services at `/queues` of the internal port, to the operator.
 */
@Module({})
export class QueueBoardModule implements OnApplicationShutdown {
  private board: Promise<QueueBoard> | undefined;
  private readonly removeRoute: () => void;

  constructor(@Inject(OPTIONS) private readonly options: QueueBoardModuleOptions) {
    this.removeRoute =
      options.password === undefined ? () => undefined : this.show(new BoardAuthentication(options.password));
  }

  static with(options: QueueBoardModuleOptions): DynamicModule {
    return { module: QueueBoardModule, providers: [{ provide: OPTIONS, useValue: options }] };
  }

  async onApplicationShutdown(): Promise<void> {
    this.removeRoute();
    (await this.board?.catch(() => undefined))?.close();
  }

  private show(authentication: BoardAuthentication): () => void {
    const handle = async (request: IncomingMessage): Promise<InternalResponse> =>
      (await authentication.rejectionOf(request)) ?? this.handle(request);
    return internalRoutes.register({ path, methods: ['PUT'], handle });
  }

  private async handle({ method = '', url = '' }: IncomingMessage): Promise<InternalResponse> {
    const { pathname, searchParams } = new URL(url, 'http://board');
    const board = await (this.board ??= this.open());
    return board.handle(method, pathname.slice(path.length), searchParams);
  }

  /** Opened by the first request, because the board costs memory and a connection. */
  private async open(): Promise<QueueBoard> {
    try {
      const { QueueBoard } = await import('./queue-board.js');
      return new QueueBoard({ ...this.options, path });
    } catch (error) {
      // The next request tries again
      this.board = undefined;
      throw error;
    }
  }
}
