import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import type { OperationName } from '#contracts';
import { type Audience, pageKey } from '../../site/pages/page.decorator.js';
import { operationKey, publicKey } from './operation.decorator.js';

/** Who may come in: whoever has the scope of an operation, the audience of a page, or anybody at all. */
export type Declaration = { readonly operation: OperationName } | { readonly page: Audience } | 'public';

export interface DeclaredRoute {
  /** `ChoiceController.list` */
  readonly handler: string;
  readonly method: string;
  readonly path: string;
  /** Undefined when nobody has said who may come in: the gateway does not start with it. */
  readonly declaration: Declaration | undefined;
}

function declarationOf(handler: object): Declaration | undefined {
  const operation = Reflect.getMetadata(operationKey, handler) as OperationName | undefined;
  if (operation !== undefined) return { operation };
  const page = Reflect.getMetadata(pageKey, handler) as Audience | undefined;
  if (page !== undefined) return { page };
  return Reflect.getMetadata(publicKey, handler) ? 'public' : undefined;
}

/** The routes of a controller, each with who may come in. */
export function* routesOf(controller: Type): Generator<DeclaredRoute> {
  const prototype = controller.prototype as Record<string, object>;
  const prefix = String(Reflect.getMetadata(PATH_METADATA, controller) ?? '');
  for (const key of new MetadataScanner().getAllMethodNames(prototype)) {
    const handler = prototype[key]!;
    const paths = Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined;
    if (paths === undefined) continue;
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
    for (const path of [paths].flat())
      yield {
        ...{ handler: `${controller.name}.${key}`, method, path: pathOf(prefix, path) },
        declaration: declarationOf(handler),
      };
  }
}

const pathOf = (...parts: readonly string[]): string =>
  `/${parts
    .join('/')
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
