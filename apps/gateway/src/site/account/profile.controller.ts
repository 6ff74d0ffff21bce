import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { displayName, type OAuthParameters, text, webUrl } from '#contracts';
import { QueueClients } from '#request-queue';
import { type Refused, submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { profileTexts } from './account.texts.js';

const unlessEmpty = (value: string): string | null => (value === '' ? null : value);

const ProfileForm = z.object({
  displayName: typedLine.pipe(displayName).transform(unlessEmpty),
  homePage: typedLine.transform(unlessEmpty).pipe(webUrl.nullable()),
  // Forms send line breaks as CR LF; a text has LF
  about: z
    .string()
    .transform((value) => value.replaceAll('\r\n', '\n').trim())
    .pipe(text(0, 10_000))
    .transform(unlessEmpty),
});

/** What stands in the fields. */
interface ProfileValues {
  readonly displayName?: string | null | undefined;
  readonly homePage?: string | null | undefined;
  readonly about?: string | null | undefined;
}

/** What a user tells of themselves. */
@Controller('account/profile')
export class ProfileController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  async ask(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): Promise<void> {
    const { user } = await this.clients.of('accounts').call('users.self', { viewerId: visit.member.id });
    const { displayName, profile } = user;
    this.show(reply, visit, { displayName, homePage: profile.url, about: profile.body });
  }

  @Page('members')
  @Post()
  async change(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const viewerId = visit.member.id;
    const result = await submit(ProfileForm, given, ({ displayName, homePage: url, about: body }) =>
      this.clients.of('accounts').call('users.update', { viewerId, displayName, profile: { url, body } }),
    );
    if ('errors' in result) this.show(reply, visit, given, result);
    else this.pages.seeOther(reply, '/account?done=profile');
  }

  private show(reply: FastifyReply, visit: PageContext, values: ProfileValues, refused?: Refused): void {
    const { displayName, homePage, about } = values;
    this.pages.show(reply, visit, {
      view: 'account/profile',
      texts: profileTexts,
      refused,
      data: { displayName, homePage, about },
      title: (words) => words.title,
    });
  }
}
