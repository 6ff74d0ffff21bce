import { Controller, UseInterceptors } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { AwaitRevocationBroadcast } from '../tokens/await-revocation-broadcast.interceptor.js';
import { MemberService } from './member.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class MemberController {
  constructor(private readonly members: MemberService) {}

  @Handles('users.sign-up')
  signUp(@Payload() request: PayloadOf<Messages, 'users.sign-up'>): Promise<ReplyOf<Messages, 'users.sign-up'>> {
    return this.members.signUp(request);
  }

  @Handles('users.check-sign-up')
  checkSignUp(@Payload() request: PayloadOf<Messages, 'users.check-sign-up'>): Promise<void> {
    return this.members.checkSignUp(request);
  }

  @Handles('users.change-email')
  changeEmail(@Payload() request: PayloadOf<Messages, 'users.change-email'>): Promise<void> {
    return this.members.changeEmail(request);
  }

  @Handles('users.check-passwords')
  async checkPasswords(@Payload() request: PayloadOf<Messages, 'users.check-passwords'>): Promise<void> {
    await this.members.checkPasswords(request);
  }

  @Handles('users.change-password')
  @UseInterceptors(AwaitRevocationBroadcast)
  changePassword(
    @Payload() request: PayloadOf<Messages, 'users.change-password'>,
  ): Promise<ReplyOf<Messages, 'users.change-password'>> {
    return this.members.changePassword(request);
  }

  @Handles('users.delete-account')
  @UseInterceptors(AwaitRevocationBroadcast)
  deleteAccount(@Payload() request: PayloadOf<Messages, 'users.delete-account'>): Promise<void> {
    return this.members.deleteAccount(request);
  }

  @Handles('users.reset-password')
  @UseInterceptors(AwaitRevocationBroadcast)
  resetPassword(
    @Payload() request: PayloadOf<Messages, 'users.reset-password'>,
  ): Promise<ReplyOf<Messages, 'users.reset-password'>> {
    return this.members.resetPassword(request);
  }

  @Handles('users.remove')
  @UseInterceptors(AwaitRevocationBroadcast)
  deleteUser(@Payload() request: PayloadOf<Messages, 'users.remove'>): Promise<ReplyOf<Messages, 'users.remove'>> {
    return this.members.deleteUser(request);
  }
}
