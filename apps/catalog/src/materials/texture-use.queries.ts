import { Injectable } from '@nestjs/common';
import { type TextureReference } from '#contracts';
import { Database } from '#persistence';

const isUsed = (owner: string): string => `
  exists (select from materials m where m.texture_hash = given.hash ${owner.replaceAll('$', 'm')})
  or exists (select from products p where p.prints <> '[]'
    and p.prints @> jsonb_build_array(jsonb_build_object('textureHash', given.hash)) ${owner.replaceAll('$', 'p')})`;

/** Reads which textures are in use. material-rendering requests this before deleting textures. */
@Injectable()
export class TextureUseQueries {
  constructor(private readonly database: Database) {}

  /**
   * Returns the references that a committed material or product contains. User 0 matches any user.
   */
  usedOf(references: readonly TextureReference[]): Promise<TextureReference[]> {
    return this.database.read<TextureReference>(
      `select given."userId", given.hash
       from jsonb_to_recordset($1::jsonb) as given ("userId" bigint, hash text)
       where case when given."userId" = 0 then ${isUsed('')} else ${isUsed('and $.user_id = given."userId"')} end`,
      [JSON.stringify(references)],
    );
  }
}
