import { Controller, UseInterceptors } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { AnswerWhenTold } from '../tokens/answer-when-told.js';
import { KeyService } from './key.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class KeyController {
  constructor(private readonly keys: KeyService) {}

  @Handles('keys.show')
  async show(@Payload() owner: PayloadOf<Messages, 'keys.show'>): Promise<{ apiKey: string }> {
    return { apiKey: await this.keys.show(owner) };
  }

  @Handles('keys.replace')
  @UseInterceptors(AnswerWhenTold)
  async replace(@Payload() owner: PayloadOf<Messages, 'keys.replace'>): Promise<{ apiKey: string }> {
    return { apiKey: await this.keys.replace(owner) };
  }
}
