import { Injectable } from '@nestjs/common';
import { type PayloadOf, type Services } from '#contracts';
import { Database } from '#persistence';
import { presentationOf } from '../presentation.js';
import { literal } from '../sql.js';
import { CatalogSettings } from '../settings.js';
import { materialJson, type MaterialRow } from './material-json.js';

/** The columns of a `MaterialRow`, of `materials m` joined with `accounts.users u`. */
export const materialColumns = `
  m.id as "materialId", m.title as "materialTitle", m.description, m.price as "materialPrice", m.violation,
  m.published as "materialPublished", m.published_at as "materialPublishedAt", m.uploaded_at as "uploadedAt",
  m.texture_format as "textureFormat", m.dominant_rgb as "dominantRgb", m.original_width as "originalWidth",
  m.original_height as "originalHeight", u.id as "userId", u.name as "userName",
  u.display_name as "userDisplayName", u.avatar_url as "userAvatarUrl"`;

/** Materials as answers. */
@Injectable()
export class MaterialQueries {
  private readonly presentation;

  constructor(
    private readonly database: Database,
    settings: CatalogSettings,
  ) {
    this.presentation = presentationOf(settings);
  }

  /**
   * A page of materials, newest first: the viewer's own without `userId` or with his own, otherwise what that user
   * shows to everybody.
   *
   * @returns a MaterialListResponse as JSON
   */
  async list(request: PayloadOf<Services['catalog'], 'materials.list'>): Promise<string> {
    const { viewerId, userId = viewerId, limit, offset } = request;
    const shown = userId === viewerId ? '' : 'and published and not violation';
    // Limit and offset as literals: with parameters the planner cannot tell a page from the whole table
    const rows = await this.database.query<MaterialRow>(
      `with page as (
         select id, created_at from materials where user_id = $1 ${shown}
         order by created_at desc, id desc limit ${literal(limit + 1)} offset ${literal(offset)}
       )
       select ${materialColumns}
       from page join materials m on m.id = page.id join accounts.users u on u.id = m.user_id
       order by page.created_at desc, page.id desc`,
      [userId],
    );
    const materials = rows.slice(0, limit).map((row) => materialJson(row, this.presentation));
    return `{"materials":[${materials.join()}],"meta":{"hasNext":${rows.length > limit}}}`;
  }
}
