import { Injectable } from '@nestjs/common';
import { type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { cutPage, Database, pageWindow } from '#persistence';
import { RawReply } from '#request-queue';
import { jsonContextOf } from '../context.json.js';
import { CatalogSettings } from '../catalog.settings.js';
import { productDataVersion } from '../products/caching/cache-validator.queries.js';
import { ReplyValidity } from '../products/caching/reply-validity.rules.js';
import { userNotFound } from '../users/user.errors.js';
import { materialJson, type MaterialRow } from './material.json.js';
import { materialNotFound } from './material.errors.js';
import { materialColumns } from './material-rows.queries.js';

type Messages = Services['catalog'];
type ModeratedMaterial = ReplyOf<Messages, 'materials.show'>;

/** Columns of a `ModeratedMaterial`, from the same tables. */
const moderatedColumns = `
  m.id, m.title, u.id as "userId", u.name as "userName", m.violation, m.violation_reason as reason`;

/** Reads materials as responses. */
@Injectable()
export class MaterialQueries {
  private readonly jsonContext;

  constructor(
    private readonly database: Database,
    private readonly validity: ReplyValidity,
    settings: CatalogSettings,
  ) {
    this.jsonContext = jsonContextOf(settings);
  }

  /**
   * Returns a page of materials, newest first: all materials of the viewer if `userId` is the
   * viewer or missing, otherwise the public ones of that user.
   *
   * @returns a MaterialListResponse
   */
  async list(request: PayloadOf<Services['catalog'], 'materials.list'>): Promise<RawReply> {
    const { viewerId, userId = viewerId } = request;
    const publicOnly = userId === viewerId ? '' : 'and published and not violation';
    const rows = await this.database.read<MaterialRow & { readonly version: string }>(
      `with page as (
         select id, created_at from materials where user_id = $1 ${publicOnly}
         order by created_at desc, id desc ${pageWindow(request)}
       )
       select ${materialColumns}, ${productDataVersion} as version
       from page join materials m on m.id = page.id join accounts.users u on u.id = m.user_id
       order by page.created_at desc, page.id desc`,
      [userId],
    );
    const { shown: materials, nextOffset } = cutPage(rows, request);
    const json = materials.map((row) => materialJson(row, this.jsonContext)).join();
    const body = `{"materials":[${json}],"meta":{"hasNext":${nextOffset !== null}}}`;
    const reply = RawReply.page(body, nextOffset).tagged();
    const [first] = rows;
    return first ? reply.validWhile(this.validity.ofMaterials(viewerId, first.version)) : reply;
  }

  /**
   * Returns a material with its moderation state, for operators.
   *
   * @throws DomainError material.not-found
   */
  async moderated(materialId: number): Promise<ModeratedMaterial> {
    const [material] = await this.database.read<ModeratedMaterial>(
      `select ${moderatedColumns}
       from materials m join accounts.users u on u.id = m.user_id
       where m.id = $1`,
      [materialId],
    );
    if (!material) throw materialNotFound(materialId);
    return material;
  }

  /**
   * Returns the reason of a violation to the owner; null without a violation.
   *
   * @throws DomainError material.not-found, also for a material of another user
   */
  async violationReason(request: PayloadOf<Messages, 'materials.violation-reason'>): Promise<string | null> {
    const { viewerId, materialId } = request;
    const [material] = await this.database.read<{ reason: string | null }>(
      'select case when violation then violation_reason end as reason from materials where id = $1 and user_id = $2',
      [materialId, viewerId],
    );
    if (!material) throw materialNotFound(materialId);
    return material.reason;
  }

  /**
   * Returns a page of materials of a user, newest first, for operators. Names are compared without
   * case.
   *
   * @throws DomainError user.not-found
   */
  async find(request: PayloadOf<Messages, 'materials.find'>): Promise<ReplyOf<Messages, 'materials.find'>> {
    const { userName } = request;
    const [user] = await this.database.read<{ id: number }>(
      'select id from accounts.users where lower(name) = lower($1) and id > 0',
      [userName],
    );
    if (!user) throw userNotFound(userName);
    const rows = await this.database.read<ModeratedMaterial>(
      `select ${moderatedColumns}
       from materials m join accounts.users u on u.id = m.user_id
       where m.user_id = $1 order by m.created_at desc, m.id desc ${pageWindow(request)}`,
      [user.id],
    );
    const { shown: materials, nextOffset } = cutPage(rows, request);
    return { materials, nextOffset };
  }
}
