import { MessagePattern } from '@nestjs/microservices';
import type { PayloadOf, ServiceName, Services } from '#contracts';
import type { z } from 'zod';
import { type RawReply } from '../wire/raw-reply.js';

type MessageName<Service extends ServiceName> = keyof Services[Service] & string;

/** `null` may be left unsaid: a method that answers it may return nothing. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- the type of what a method returns
type NothingFor<Reply> = null extends Reply ? void : never;

type Answer<Service extends ServiceName, Name extends MessageName<Service>> = Services[Service][Name] extends {
  reply: infer Reply extends z.ZodType;
}
  ? z.input<Reply> | RawReply | NothingFor<z.input<Reply>>
  : never;

/** What a method that answers the message looks like: the checked payload first, then whatever Nest injects. */
type HandlerMethod<Service extends ServiceName, Name extends MessageName<Service>> = (
  payload: PayloadOf<Services[Service], Name>,
  ...injected: never[]
) => Answer<Service, Name> | Promise<Answer<Service, Name>>;

/**
 * Makes the decorator with which the controllers of one service say which message a method answers. A name that is not
 * in the service's message table, a payload parameter that does not fit, and an answer of another shape do not compile.
 * The payload was checked with the contract's request schema before the method runs.
 *
 * ```ts
 * const Handles = handlerFor('catalog');
 *
 * @Controller()
 * export class ProductController {
 *   constructor(private readonly queries: ProductQueries) {}
 *
 *   @Handles('products.get')
 *   get(@Payload() payload: PayloadOf<CatalogMessages, 'products.get'>): Promise<RawReply> {
 *     return this.queries.get(payload.viewerId, payload.productId);
 *   }
 * }
 * ```
 * (`CatalogMessages` is `Services['catalog']`.) A second parameter may be `@Ctx() context: QueueContext`.
 */
export function handlerFor<Service extends ServiceName>(service: Service) {
  return <Name extends MessageName<Service>>(name: Name) =>
    <Method extends HandlerMethod<Service, Name>>(
      target: object,
      key: string | symbol,
      descriptor: TypedPropertyDescriptor<Method>,
    ): void => {
      MessagePattern(name, { service })(target, key, descriptor);
    };
}
