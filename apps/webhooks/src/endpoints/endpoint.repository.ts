import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { limits, type PublicEventType } from '#contracts';
import { Database, lockAuthor, type Tx } from '#persistence';
import { EndpointEntity, type StoredSecret } from './endpoint.entity.js';
import { applicationNotFound, endpointNotFound, tooManyEndpoints } from './endpoint.errors.js';

interface NewEndpoint {
  readonly userId: number;
  readonly applicationId: number | null;
  readonly url: string;
  readonly description: string;
  readonly types: PublicEventType[];
  readonly secrets: StoredSecret[];
}

/** Endpoint, and the user who changes it, who must be its owner. */
export interface EndpointTarget {
  readonly viewerId: number;
  readonly endpointId: number;
}

/** Serializes the creations of one user, so that each counts the endpoints created before it. */
const lockCreation = `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' webhook endpoints ' || $1, 0))`;

const findApplication = 'select from accounts.applications where id = $1 and owner_id = $2';

/** UPDATE that marks endpoints as deleted, to be restricted by `and`. */
export const markDeleted = `
  update webhook_endpoints set status = 'paused', disabled_reason = null, deleted_at = now() where deleted_at is null`;

@Injectable()
export class EndpointRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates an endpoint.
   *
   * @param buildResult builds the result inside the transaction
   * @throws DomainError webhook-endpoint.too-many; application.not-found, also for an application
   *   of another user; user.not-found for a deleted user
   */
  create<R>(endpoint: NewEndpoint, buildResult: (tx: Tx, endpointId: number) => Promise<R>): Promise<R> {
    const { userId, applicationId } = endpoint;
    return this.database.transaction(async (tx) => {
      await lockAuthor(tx, userId);
      await tx.query(lockCreation, [userId]);
      const count = await tx.countBy(EndpointEntity, { userId, deletedAt: IsNull() });
      if (count >= limits.webhookEndpointsPerUser) throw tooManyEndpoints();
      if (applicationId !== null) {
        const owned = await tx.query<object[]>(findApplication, [applicationId, userId]);
        if (owned.length === 0) throw applicationNotFound(applicationId);
      }
      const { identifiers } = await tx.insert(EndpointEntity, endpoint);
      return buildResult(tx, identifiers[0]!.id as number);
    });
  }

  /**
   * Changes an endpoint.
   *
   * @param change returns the changed columns
   * @throws DomainError webhook-endpoint.not-found
   */
  update<R>(
    { viewerId, endpointId }: EndpointTarget,
    change: (endpoint: EndpointEntity) => Partial<EndpointEntity>,
    buildResult: (tx: Tx) => Promise<R>,
  ): Promise<R> {
    return this.database.transaction(async (tx) => {
      const where = { id: endpointId, userId: viewerId, deletedAt: IsNull() };
      const endpoint = await tx.findOne(EndpointEntity, { where, lock: { mode: 'pessimistic_write' } });
      if (!endpoint) throw endpointNotFound(endpointId);
      await tx.update(EndpointEntity, endpointId, { ...change(endpoint), updatedAt: () => 'now()' });
      return buildResult(tx);
    });
  }

  /**
   * Marks an endpoint as deleted, which ends its deliveries. Their rows are deleted in batches by
   * `DeliveryRepository`, because there may be a million.
   *
   * @throws DomainError webhook-endpoint.not-found
   */
  async delete({ viewerId, endpointId }: EndpointTarget): Promise<void> {
    const statement = `${markDeleted} and id = $1 and user_id = $2 returning id`;
    const deleted = await this.database.write(statement, [endpointId, viewerId]);
    if (deleted.length === 0) throw endpointNotFound(endpointId);
  }
}
