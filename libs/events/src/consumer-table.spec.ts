import { type Type } from '@nestjs/common';
import { checkTable, type ConsumerTable, findConsumers, on } from './consumer-table.js';
import { type Delivery } from './delivery.js';

class FavoriteConsumer {
  readonly seen: string[] = [];

  placed({ event }: Delivery<'favorite.placed'>): Promise<void> {
    this.seen.push(event.payload.productTitle);
    return Promise.resolve();
  }

  /** One method may consume several events. */
  note({
    event,
  }: Delivery<
    'favorite.placed' | 'material.rendered' | 'sale.recorded' | 'user.deleted' | 'webhook.disabled'
  >): Promise<void> {
    this.seen.push(event.name);
    return Promise.resolve();
  }

  deleted(delivery: Delivery<'material.deleted'>): Promise<void> {
    this.seen.push(delivery.event.payload.filePath);
    return Promise.resolve();
  }

  label(): string {
    return 'not a consumer';
  }
}

const table = {
  'favorite.placed': on(FavoriteConsumer, 'placed'),
  'material.rendered': on(FavoriteConsumer, 'note'),
  'sale.recorded': on(FavoriteConsumer, 'note'),
  'user.deleted': on(FavoriteConsumer, 'note'),
  'webhook.disabled': on(FavoriteConsumer, 'note'),
} satisfies ConsumerTable<'activity'>;

// Must not compile. An unused @ts-expect-error is an error itself, so the type check tests these
// lines
({
  'favorite.placed': on(FavoriteConsumer, 'placed'),
  'sale.recorded': on(FavoriteConsumer, 'note'),
  'user.deleted': on(FavoriteConsumer, 'note'),
  'webhook.disabled': on(FavoriteConsumer, 'note'),
  // @ts-expect-error material.rendered is missing
}) satisfies ConsumerTable<'activity'>;

({
  ...table,
  // @ts-expect-error activity does not subscribe to material.deleted
  'material.deleted': on(FavoriteConsumer, 'deleted'),
}) satisfies ConsumerTable<'activity'>;

({
  ...table,
  // @ts-expect-error deleted takes another event
  'material.rendered': on(FavoriteConsumer, 'deleted'),
}) satisfies ConsumerTable<'activity'>;

// @ts-expect-error label consumes nothing
on(FavoriteConsumer, 'label');

// @ts-expect-error the method does not exist
on(FavoriteConsumer, 'withdrawn');

describe('a consumer table', () => {
  it('resolves providers from the container and calls their methods', async () => {
    const consumer = new FavoriteConsumer();
    const modules = { get: (type: unknown) => (type === FavoriteConsumer ? consumer : undefined) };
    const consumers = findConsumers(table, modules as { get<T>(type: Type<T>): T });
    expect([...consumers.keys()]).toEqual(Object.keys(table));
    await consumers.get('favorite.placed')!({ event: { payload: { productTitle: 'cat mug' } } } as never);
    expect(consumer.seen).toEqual(['cat mug']);
  });

  it('is accepted when it contains exactly the subscriptions of the service', () => {
    expect(() => checkTable('activity', table)).not.toThrow();
  });

  it('is rejected with the line to add for a missing consumer', () => {
    const {
      'favorite.placed': placed,
      'sale.recorded': sold,
      'user.deleted': deleted,
      'webhook.disabled': disabled,
    } = table;
    expect(() =>
      checkTable('activity', {
        'favorite.placed': placed,
        'sale.recorded': sold,
        'user.deleted': deleted,
        'webhook.disabled': disabled,
      }),
    ).toThrow("add 'material.rendered': on(ConsumerClass, 'method') to the consumers of activity");
  });

  it('is rejected with the line to remove for a superfluous consumer', () => {
    expect(() => checkTable('activity', { ...table, 'material.deleted': on(FavoriteConsumer, 'deleted') })).toThrow(
      "remove 'material.deleted' from the consumers of activity",
    );
  });
});
