import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Services } from '#contracts';
import { handlerFor, type RawReply } from '#request-queue';
import { ChoiceQueries } from './choice.queries.js';
import { ChoiceService } from './choice.service.js';

const Handles = handlerFor('social');
type Request<Name extends keyof Services['social']> = PayloadOf<Services['social'], Name>;

@Controller()
export class ChoiceController {
  constructor(
    private readonly choices: ChoiceService,
    private readonly queries: ChoiceQueries,
  ) {}

  @Handles('choices.list')
  list(@Payload() request: Request<'choices.list'>): Promise<RawReply> {
    return this.queries.list(request);
  }

  @Handles('choices.get')
  get(@Payload() { viewerId, choiceId }: Request<'choices.get'>): Promise<RawReply> {
    return this.queries.get(viewerId, choiceId);
  }

  @Handles('choices.create')
  create(@Payload() request: Request<'choices.create'>): Promise<RawReply> {
    return this.choices.create(request);
  }

  @Handles('choices.update')
  update(@Payload() request: Request<'choices.update'>): Promise<RawReply> {
    return this.choices.update(request);
  }

  @Handles('choices.delete')
  delete(@Payload() request: Request<'choices.delete'>): Promise<RawReply> {
    return this.choices.delete(request);
  }

  @Handles('choices.add')
  add(@Payload() request: Request<'choices.add'>): Promise<RawReply> {
    return this.choices.add(request);
  }

  @Handles('choices.remove')
  remove(@Payload() request: Request<'choices.remove'>): Promise<RawReply> {
    return this.choices.remove(request);
  }

  @Handles('choices.move-first')
  moveFirst(@Payload() request: Request<'choices.move-first'>): Promise<RawReply> {
    return this.choices.moveFirst(request);
  }

  @Handles('choices.products')
  products(@Payload() request: Request<'choices.products'>): Promise<RawReply> {
    return this.queries.products(request);
  }
}
