import { DomainError } from '#kernel';
import { serviceNames } from '#contracts';
import { migrate, MigrationFailure, serviceDatabaseUrl } from '#migrations';
import { seed, seedProducts } from '#demo-shop';
import type { TaskMessage, Tasks } from './apps/task-process.js';
import { migrationsOfApp } from '../../apps/migrations.js';

// Startup steps that need code of the services, in a separate process, so that the supervisor stays
// small.

const printer = (name: 'migrate' | 'seed') => (line: string) => console.log(`${name.padEnd(7)} ${line}`);

const tasks: Tasks = {
  migrate: async ({ databaseUrl, rolesSecret }) => {
    await migrate({ url: databaseUrl, rolesSecret, log: printer('migrate') }, migrationsOfApp);
    const urls = serviceNames.map((service) => [service, serviceDatabaseUrl(databaseUrl, service, rolesSecret)]);
    return Object.fromEntries(urls) as Awaited<ReturnType<Tasks['migrate']>>;
  },
  seed: (input) => seed({ ...input, log: printer('seed') }),
  products: (input) => seedProducts({ ...input, log: printer('seed') }),
};

async function work<Name extends keyof Tasks>({ name, input }: TaskMessage<Name>): Promise<unknown> {
  const task = tasks[name] as (input: TaskMessage<Name>['input']) => Promise<unknown>;
  try {
    return { result: await task(input) };
  } catch (error) {
    const expected = error instanceof MigrationFailure || error instanceof DomainError;
    return {
      failure: expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

process.on('message', (message) => {
  void work(message as TaskMessage<keyof Tasks>).then((reply) => process.send?.(reply));
});
process.once('disconnect', () => process.exit(1));
