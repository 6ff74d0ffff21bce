import { Global, Module, type DynamicModule } from '@nestjs/common';
import { QueueClients, type QueueClientsOptions } from './queue-clients.js';

/** Makes `QueueClients` injectable everywhere in an app: one shared transport for all services that it asks. */
@Global()
@Module({})
export class QueueClientModule {
  static forApp(options: QueueClientsOptions): DynamicModule {
    return {
      module: QueueClientModule,
      providers: [{ provide: QueueClients, useFactory: () => new QueueClients(options) }],
      exports: [QueueClients],
    };
  }
}
