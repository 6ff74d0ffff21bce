import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { displayName, type OAuthParameters, text } from '#contracts';
import { QueueClients } from '#request-queue';
import { FormCountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { type FormRejection, submit, typedLine, typedText, typedUrl } from '../pages/form.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { profileTexts } from './account.texts.js';

const emptyToNull = (value: string): string | null => (value === '' ? null : value);

const ProfileForm = z.object({
  displayName: typedLine.pipe(displayName).transform(emptyToNull),
  avatar: typedUrl,
  header: typedUrl,
  homePage: typedUrl,
  about: typedText.pipe(text(0, 10_000)).transform(emptyToNull),
});

/** Values of the form fields. */
interface ProfileValues {
  readonly displayName?: string | null | undefined;
  readonly avatar?: string | null | undefined;
  readonly header?: string | null | undefined;
  readonly homePage?: string | null | undefined;
  readonly about?: string | null | undefined;
}

/** Form with the user's public profile. */
@Controller('account/profile')
export class ProfileController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  async showForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): Promise<void> {
    const { user } = await this.clients.of('accounts').call('users.self', { viewerId: context.member.id });
    const { displayName, avatarUrl: avatar, profile } = user;
    const { headerUrl: header, url: homePage, body: about } = profile;
    this.show(reply, context, context.draft ?? { displayName, avatar, header, homePage, about });
  }

  @Page('members')
  @Post()
  @FormCountsAs('users.update')
  @PreservesFields(...Object.keys(ProfileForm.shape))
  async change(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const viewerId = context.member.id;
    const result = await submit(context, ProfileForm, given, ({ displayName, avatar, header, homePage, about }) =>
      this.clients.of('accounts').call('users.update', {
        viewerId,
        displayName,
        avatarUrl: avatar,
        profile: { url: homePage, body: about, headerUrl: header },
      }),
    );
    if ('errors' in result) this.show(reply, context, given, result);
    else this.pages.seeOther(reply, '/account?done=profile');
  }

  private show(reply: FastifyReply, context: PageContext, values: ProfileValues, rejection?: FormRejection): void {
    this.pages.show(reply, context, {
      view: 'account/profile',
      texts: profileTexts,
      rejection,
      data: { values },
      title: (words) => words.title,
    });
  }
}
