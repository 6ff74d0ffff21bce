import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QueueClients } from '#request-queue';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { rejectPrefetch } from '../pages/prefetch.js';
import { creatorName, ShopView } from '../shop/shop.view.js';
import { activitiesTexts } from './activities.texts.js';

/** Number of listed notifications: the maximum of the API. */
const limit = 30;

/** Notifications of the signed-in user. */
@Controller('activities')
export class ActivitiesController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
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
    this.pages.show(reply, context, {
      view: 'activities/activities',
      texts: activitiesTexts,
      title: (words) => words.title,
      data: {
        activities: activities.map(({ message, timeago, createdAt, sender }, index) => ({
          message,
          timeago,
          createdAt,
          isUnread: index < unreads,
          sender: sender.id === 0 ? null : { path: this.shopView.creator(sender), name: creatorName(sender) },
        })),
      },
    });
  }
}
