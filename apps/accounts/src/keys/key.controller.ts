import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { KeyService } from './key.service.js';

type Messages = Services['accounts'];
const Handles = handlerFor('accounts');

@Controller()
export class KeyController {
  constructor(private readonly keys: KeyService) {}

  @Handles('keys.show')
  async show(@Payload() { userName }: PayloadOf<Messages, 'keys.show'>): Promise<{ apiKey: string }> {
    return { apiKey: await this.keys.show(userName) };
  }

  @Handles('keys.replace')
  async replace(@Payload() { userName }: PayloadOf<Messages, 'keys.replace'>): Promise<{ apiKey: string }> {
    return { apiKey: await this.keys.replace(userName) };
  }
}
