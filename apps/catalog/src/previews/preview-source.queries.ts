import { Injectable } from '@nestjs/common';
import { Database } from '#persistence';
import { materialNotFound, materialNotOwned } from '../materials/material.errors.js';

/** Reads the materials that previews are made of. */
@Injectable()
export class PreviewSourceQueries {
  constructor(private readonly database: Database) {}

  /**
   * Returns the hash of a material's texture.
   *
   * @throws DomainError material.not-found, also for a material with a violation, whose images are
   *   shown to nobody; material.not-owned for a visible material of another user
   */
  async textureHashOf(viewerId: number, materialId: number): Promise<string> {
    const [found] = await this.database.read<{ readonly textureHash: string; readonly isOwn: boolean }>(
      `select texture_hash as "textureHash", user_id = $2 as "isOwn" from materials
       where id = $1 and not violation and (user_id = $2 or published)`,
      [materialId, viewerId],
    );
    if (!found) throw materialNotFound(materialId);
    if (!found.isOwn) throw materialNotOwned(materialId);
    return found.textureHash;
  }
}
