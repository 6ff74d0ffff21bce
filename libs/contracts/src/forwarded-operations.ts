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
/** `object` for an absent part of a request. */
type Spread<It> = It extends undefined ? object : It;

/** The request that the gateway sends to the service. */
type Forwarded<Name extends OperationName> = Spread<PartOf<Name, 'params'>> &
  Spread<PartOf<Name, 'query'>> &
  Spread<PartOf<Name, 'body'>> &
  Pick<OperationRequest<Name>, 'viewerId' | 'idempotency' | 'language' | 'nameLanguage' | 'ofAnyOwner'>;

/**
 * Keys of `Forwarded` that can have a value for this operation, without `viewerId`, which not every
 * message has.
 */
type ForwardedKey<Name extends OperationName> =
  | KeysOf<Input<Name>>
  | (undefined extends OperationRequest<Name>['language'] ? never : 'language')
  | (undefined extends OperationRequest<Name>['nameLanguage'] ? never : 'nameLanguage')
  | (undefined extends OperationRequest<Name>['ofAnyOwner'] ? never : 'ofAnyOwner')
  | (Operations[Name]['method'] extends 'POST' ? 'idempotency' : never);

type RequestIn<Table extends MessageTable, Name> = Name extends keyof Table ? RequestOf<Table, Name> : never;
/**
 * Request type of the operation's message; `object` for a message without fields, which accepts
 * every request. `viewerId`, which each operation sends, is optional: a type with optional keys
 * only would reject a request without any of them.
 */
type MessageRequest<Name extends ForwardedOperation> =
  RequestIn<Services[Operations[Name]['service']], Name> extends infer Request
    ? Request extends Record<string, never>
      ? object
      : Request & { readonly viewerId?: unknown }
    : never;

/**
 * Forwarded operations whose message is missing, does not accept the type of the sent request,
 * requires a key that is not sent, or lacks a sent key.
 */
type Mismatch = {
  [Name in ForwardedOperation]: [Forwarded<Name>] extends [MessageRequest<Name>]
    ? [Exclude<ForwardedKey<Name>, KeysOf<MessageRequest<Name>>>] extends [never]
      ? never
      : Name
    : Name;
}[ForwardedOperation];

const isForwarded = (name: OperationName): name is ForwardedOperation => 'service' in operations[name];

/**
 * The operations that the gateway forwards. A compiler error about a missing property here names an
 * operation that does not match its message.
 */
export const forwardedOperations = (Object.keys(operations) as OperationName[]).filter(isForwarded) satisfies {
  readonly [Name in Mismatch]: unknown;
};
