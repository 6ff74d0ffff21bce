import { events, type EventName, type EventPayload } from '#contracts';
import { schemaNames } from '#persistence';
import type { Finding, Stack } from './check.js';

/**
 * Objects of pending events, which are in an outbox or a queue. Failed jobs are not pending, and
 * the webhooks service corrects no checked row.
 */
export class PendingEvents {
  private readonly materials = new Set<number>();
  private readonly products = new Set<number>();
  private readonly users = new Set<number>();
  private readonly favorites = new Set<string>();

  /** Reads outboxes before queues, because events move from outboxes to queues. */
  static async read({ database, queued }: Stack): Promise<PendingEvents> {
    const found = new PendingEvents();
    for (const schema of schemaNames) {
      const { rows } = await database.query<{ name: string; payload: unknown }>(
        `select name, payload from ${schema}.outbox`,
      );
      for (const row of rows) found.note(row.name, row.payload);
    }
    for await (const { subscriber, state, event } of queued.events(await queued.snapshot(new Date(8.64e15))))
      if (state !== 'failed' && subscriber !== 'webhooks') found.note(event.name, event.payload);
    return found;
  }

  /** True if a pending event may correct a finding. */
  mayCorrect({ material, product, user, favorite }: Finding): boolean {
    return (
      this.materials.has(material ?? NaN) ||
      this.products.has(product ?? NaN) ||
      this.users.has(user ?? NaN) ||
      this.favorites.has(favorite ?? '')
    );
  }

  private note(name: string, payload: unknown): void {
    if (!Object.hasOwn(noted, name)) return;
    const note = noted[name as keyof typeof noted];
    const read = events[name as keyof typeof noted].payload.safeParse(payload);
    if (read.success) note(read.data as never, this.add);
  }

  private readonly add: Add = {
    material: (id) => this.materials.add(id),
    product: (id) => this.products.add(id),
    user: (id) => this.users.add(id),
    favorite: (key) => this.favorites.add(key),
  };
}

interface Add {
  readonly material: (id: number) => void;
  readonly product: (id: number) => void;
  readonly user: (id: number) => void;
  readonly favorite: (key: string) => void;
}

const noted = {
  'user.deleted': ({ userId }, add) => add.user(userId),
  'user.materials-deleted': ({ userId }, add) => add.user(userId),
  'material.created': ({ materialId }, add) => add.material(materialId),
  'material.rendered': ({ materialId }, add) => add.material(materialId),
  'images.outdated': ({ materialId }, add) => add.material(materialId),
  'images.withdrawn': ({ materialId }, add) => add.material(materialId),
  'material.updated': ({ materialId }, add) => add.material(materialId),
  'material.deleted': ({ materialId, productIds }, add) => {
    add.material(materialId);
    productIds.forEach(add.product);
  },
  'favorite.placed': ({ userId, productId }, add) => add.favorite(`${userId}/${productId}`),
} satisfies { [Name in EventName]?: (payload: EventPayload<Name>, add: Add) => void };
