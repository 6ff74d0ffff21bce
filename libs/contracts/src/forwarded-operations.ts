import type { ServiceName } from './apps.mjs';
import type { MessageTable, RequestOf } from './message.js';
import type { Services } from './messages/index.js';
import { type OperationName, type OperationRequest, operations, type PartOf } from './operations.js';

type Operations = typeof operations;

/** An operation that the gateway forwards to a service. */
export type ForwardedOperation = {
  [Name in OperationName]: Operations[Name] extends { readonly service: ServiceName } ? Name : never;
}[OperationName];

type Input<Name extends OperationName> = PartOf<Name, 'params'> | PartOf<Name, 'query'> | PartOf<Name, 'body'>;
type KeysOf<It> = It extends undefined ? never : keyof It;
/** A part that is absent adds nothing. */
type Spread<It> = It extends undefined ? object : It;

/** What the gateway sends to the service. */
type Forwarded<Name extends OperationName> = Spread<PartOf<Name, 'params'>> &
  Spread<PartOf<Name, 'query'>> &
  Spread<PartOf<Name, 'body'>> &
  Pick<OperationRequest<Name>, 'viewerId' | 'idempotency' | 'language'>;

/** All that is sent but the viewer, whom not every message asks for. */
type ForwardedKey<Name extends OperationName> =
  | KeysOf<Input<Name>>
  | (undefined extends OperationRequest<Name>['language'] ? never : 'language')
  | (Operations[Name]['method'] extends 'POST' ? 'idempotency' : never);

type RequestIn<Table extends MessageTable, Name> = Name extends keyof Table ? RequestOf<Table, Name> : never;
/** The request of the message; to one that asks for nothing, anything may be sent. */
type MessageRequest<Name extends ForwardedOperation> =
  RequestIn<Services[Operations[Name]['service']], Name> extends infer Request
    ? Request extends Record<string, never>
      ? object
      : Request
    : never;

/** Forwarded operations whose message is missing, needs what is not sent, or does not take what is sent. */
type Misfit = {
  [Name in ForwardedOperation]: [Forwarded<Name>] extends [MessageRequest<Name>]
    ? [Exclude<ForwardedKey<Name>, KeysOf<MessageRequest<Name>>>] extends [never]
      ? never
      : Name
    : Name;
}[ForwardedOperation];

const isForwarded = (name: OperationName): name is ForwardedOperation => 'service' in operations[name];

/** The operations that the gateway forwards. A property that the compiler misses here is one that does not fit its message. */
export const forwardedOperations = (Object.keys(operations) as OperationName[]).filter(isForwarded) satisfies {
  readonly [Name in Misfit]: unknown;
};
