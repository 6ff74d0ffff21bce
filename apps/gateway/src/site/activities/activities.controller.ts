import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReplyOf, Services } from '#contracts';
import { DomainError } from '#kernel';
import { Log } from '#observability';
import { QueueClients } from '#request-queue';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { Member, PageContext } from '../pages/page-context.js';
import { rejectPrefetch } from '../pages/prefetch.js';
import { creatorName, ShopView } from '../shop/shop.view.js';
import { activitiesTexts } from './activities.texts.js';

/** Number of listed notifications: the maximum of the API. */
const limit = 30;

type ProductSubjects = NonNullable<ReplyOf<Services['activity'], 'activities.subjects'>['products']>;
type Path = readonly [activityId: string, path: string];

/** Parent paths of the pages about which notifications are. */
const folders = { material: '/materials', webhook: '/account/webhooks' } as const;

/** Notifications of the signed-in user. */
@Controller('activities')
export class ActivitiesController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly log: Log,
  ) {}

  /**
   * Lists the newest notifications and marks them as read, as the API does.
   *
   * @throws DomainError for HEAD and prefetches, which must not mark them
   */
  @Page('members')
  @Get()
  async list(
    @CurrentPage() context: PageContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    rejectPrefetch(request, 'GET');
    const { language, member, unreads } = context;
    const { activities } = await this.clients
      .of('activity')
      .call('activities.list', { viewerId: member.id, limit, language });
    context.unreads = 0;
    const paths = await this.pathsOf(
      member,
      activities.map(({ id }) => id),
    );
    this.pages.show(reply, context, {
      view: 'activities/activities',
      texts: activitiesTexts,
      title: (words) => words.title,
      data: {
        activities: activities.map(({ id, message, timeago, createdAt, sender }, index) => ({
          message,
          timeago,
          createdAt,
          path: paths.get(id),
          isUnread: index < unreads,
          // The user is the sender of a notification about own materials and webhooks
          sender: [0, member.id].includes(sender.id)
            ? null
            : { path: this.shopView.creator(sender), name: creatorName(sender) },
        })),
      },
    });
  }

  /**
   * Returns the paths of the materials, webhooks and products that notifications are about, by the
   * id of the notification. Without those of a service that fails, because the listed notifications
   * are already marked as read.
   */
  private async pathsOf({ id: viewerId }: Member, activityIds: string[]): Promise<ReadonlyMap<string, string>> {
    const unknown = { subjects: [], products: [] };
    const { subjects, products = [] } = await this.resultOr(
      unknown,
      this.clients.of('activity').call('activities.subjects', { viewerId, activityIds }),
    );
    const paths = subjects.map(({ activityId, kind, id }): Path => {
      return [activityId, `${this.pages.base}${folders[kind]}/${id}`];
    });
    return new Map([...paths, ...(await this.resultOr([], this.productPaths(viewerId, products)))]);
  }

  /** Returns the paths of the products that the viewer may see, thus of none that is deleted. */
  private async productPaths(viewerId: number, subjects: ProductSubjects): Promise<Path[]> {
    if (subjects.length === 0) return [];
    const ids = new Set(subjects.map(({ productId }) => productId));
    const entries = [...ids].map((productId) => ({ productId, itemVariantId: null }));
    const request = { viewerId, entries, nextOffset: null };
    const { products } = await this.clients.of('catalog').call('products.page', request);
    const paths = new Map(products.map(({ id, sampleUrl }) => [id, this.shopView.path(sampleUrl)]));
    return subjects.flatMap(({ activityId, productId }): Path[] => {
      const path = paths.get(productId);
      return path === undefined ? [] : [[activityId, path]];
    });
  }

  /** Returns the result of a call, or the fallback if it fails. */
  private async resultOr<Result>(fallback: Result, call: Promise<Result>): Promise<Result> {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.log.debug({ err: error }, 'Subjects are unavailable, notifications shown without links');
      return fallback;
    }
  }
}
