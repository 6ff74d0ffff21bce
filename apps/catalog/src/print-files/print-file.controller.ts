import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { handlerFor, type RawReply } from '#request-queue';
import { PrintFileService } from './print-file.service.js';

const Handles = handlerFor('catalog');
type Request<Name extends 'print-files.create' | 'print-files.get'> = PayloadOf<Services['catalog'], Name>;

@Controller()
export class PrintFileController {
  constructor(private readonly service: PrintFileService) {}

  @Handles('print-files.create')
  create(@Payload() request: Request<'print-files.create'>): Promise<RawReply> {
    return this.service.create(request);
  }

  @Handles('print-files.get')
  get(@Payload() request: Request<'print-files.get'>): Promise<ReplyOf<Services['catalog'], 'print-files.get'>> {
    return this.service.get(request);
  }
}
