import { MessagePattern } from '@nestjs/microservices';
import type { PayloadOf, ServiceName, Services } from '#contracts';
import type { z } from 'zod';
import { type RawReply } from '../wire/raw-reply.js';

type MessageName<Service extends ServiceName> = keyof Services[Service] & string;

/** A method whose reply may be `null` may also return nothing. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- return type of a method
type VoidIfNullable<Reply> = null extends Reply ? void : never;

type HandlerReply<Service extends ServiceName, Name extends MessageName<Service>> = Services[Service][Name] extends {
  reply: infer Reply extends z.ZodType;
}
  ? z.input<Reply> | RawReply | VoidIfNullable<z.input<Reply>>
  : never;

/**
 * Method that handles a message: the validated payload first, then parameters that Nest injects.
 */
type HandlerMethod<Service extends ServiceName, Name extends MessageName<Service>> = (
  payload: PayloadOf<Services[Service], Name>,
  ...injected: never[]
) => HandlerReply<Service, Name> | Promise<HandlerReply<Service, Name>>;

/**
 * Creates the decorator for the message handlers of one service. An unknown message, a payload
 * parameter of another type and a reply of another type do not compile. The payload is validated
 * with the request schema of the contract before the method runs.
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
 * (`CatalogMessages` is `Services['catalog']`.) A second parameter may be
 * `@Ctx() context: QueueContext`.
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
