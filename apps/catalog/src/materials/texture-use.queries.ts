import { Injectable } from '@nestjs/common';
import { type TextureReference } from '#contracts';
import { Database } from '#persistence';

const uses = (owner: string): string => `
  exists (select from materials m where m.texture_hash = given.hash ${owner.replaceAll('$', 'm')})
  or exists (select from products p where p.prints <> '[]'
    and p.prints @> jsonb_build_array(jsonb_build_object('textureHash', given.hash)) ${owner.replaceAll('$', 'p')})`;

/** Which textures are in use. The renderer asks before it deletes one: these rows decide. */
@Injectable()
export class TextureUseQueries {
  constructor(private readonly database: Database) {}

  /** Returns the given references that a committed material or product has; user 0 stands for any user. */
  usedOf(references: readonly TextureReference[]): Promise<TextureReference[]> {
    return this.database.read<TextureReference>(
      `select given."userId", given.hash
       from jsonb_to_recordset($1::jsonb) as given ("userId" bigint, hash text)
       where case when given."userId" = 0 then ${uses('')} else ${uses('and $.user_id = given."userId"')} end`,
      [JSON.stringify(references)],
    );
  }
}
