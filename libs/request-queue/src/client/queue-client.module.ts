import { Global, Module, type DynamicModule } from '@nestjs/common';
import { apps, type ServerName } from '#contracts';
import { QueueClients, type QueueClientsOptions } from './queue-clients.js';

type Options = Omit<QueueClientsOptions, 'app' | 'services'> & { readonly app: ServerName };

/**
 * Global module that provides `QueueClients`: one transport for all services that the app calls.
 */
@Global()
@Module({})
export class QueueClientModule {
  static forApp(options: Options): DynamicModule {
    const services = apps[options.app].calls;
    return {
      module: QueueClientModule,
      providers: [{ provide: QueueClients, useFactory: () => new QueueClients({ ...options, services }) }],
      exports: [QueueClients],
    };
  }
}
