import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { type PageRateLimit, pageRateLimitOf } from '../rate-limits/rate-limit.decorator.js';
import { type Access, accessOf } from './access.js';

export interface DeclaredRoute {
  /** Class and method, such as `FavoriteController.create`. */
  readonly handler: string;
  readonly method: string;
  readonly path: string;
  /** Undefined if the handler declares no access; the gateway does not start with such a route. */
  readonly access: Access | undefined;
  /** Undefined if the handler declares none; the gateway does not start with such a POST page. */
  readonly pageRateLimit: PageRateLimit | undefined;
}

/** Yields the routes of a controller with their declared access. */
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
        handler: `${controller.name}.${key}`,
        method,
        path: pathOf(prefix, path),
        access: accessOf(handler),
        pageRateLimit: pageRateLimitOf(handler),
      };
  }
}

const pathOf = (...parts: readonly string[]): string =>
  `/${parts
    .join('/')
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
