import type { ExecutionContext } from '@nestjs/common';
import { type Operation, type OperationName, operations } from '#contracts';
import { operationKey } from './operation.decorator.js';

/** The operation that a handler answers. The start has checked that there is one, or that the route is public. */
export function operationOf(context: ExecutionContext): Operation {
  const name = Reflect.getMetadata(operationKey, context.getHandler()) as OperationName | undefined;
  if (!name) throw new Error(`${context.getClass().name}.${context.getHandler().name} answers no operation`);
  return operations[name];
}
