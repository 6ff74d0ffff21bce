import { Inject, Injectable, type OnApplicationBootstrap, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { isReservedName, operations, userName } from '#contracts';
import { GATEWAY_LOG, type GatewayLog } from '../gateway-log.js';
import { pageKey } from '../pages/page.decorator.js';
import { operationKey, publicKey } from './operation.decorator.js';

/**
 * Deny by default, checked at start: every route declares an operation (and with it a scope), that it is a page, or that it is
 * public, and
 * every operation has exactly one route. No address begins with what could be the name of a user, whose pages it would hide.
 */
@Injectable()
export class RouteCheck implements OnApplicationBootstrap {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(GATEWAY_LOG) private readonly log: GatewayLog,
  ) {}

  onApplicationBootstrap(): void {
    const answered: string[] = [];
    const open: string[] = [];
    for (const { name, method, path, target } of this.routes()) {
      const operation = Reflect.getMetadata(operationKey, target) as string | undefined;
      if (operation) answered.push(operation);
      else if (Reflect.getMetadata(publicKey, target) || Reflect.getMetadata(pageKey, target))
        open.push(`${method} ${path}`);
      else throw new Error(`${name} (${method} ${path}) declares neither @Operation nor @Page nor @Public`);
      if (hidesUser(path)) throw new Error(`${name} (${method} ${path}) takes a name that is not in reserved-names.ts`);
    }
    const missing = Object.keys(operations).filter((operation) => !answered.includes(operation));
    const doubled = answered.filter((operation, index) => answered.indexOf(operation) !== index);
    if (missing.length > 0) throw new Error(`no route answers ${missing.join(', ')}`);
    if (doubled.length > 0) throw new Error(`two routes answer ${doubled.join(', ')}`);
    this.log.debug({ open }, 'public routes');
  }

  private *routes(): Generator<{ name: string; method: string; path: string; target: object }> {
    for (const { instance, name } of this.discovery.getControllers()) {
      const prototype = Object.getPrototypeOf(instance as object) as Record<string, object>;
      const prefix = String(Reflect.getMetadata(PATH_METADATA, prototype.constructor) ?? '');
      for (const key of this.scanner.getAllMethodNames(prototype)) {
        const target = prototype[key]!;
        const paths = Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined;
        if (paths === undefined) continue;
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, target) as RequestMethod];
        for (const path of [paths].flat())
          yield { name: `${name}.${key}`, method, path: `${prefix}/${path}`.replace(/\/{2,}/g, '/'), target };
      }
    }
  }
}

/** Whether the first part of a path is fixed, may be the name of a user, and is not reserved. */
export function hidesUser(path: string): boolean {
  const [first = ''] = path.split('/').filter((part) => part !== '');
  return userName.safeParse(first).success && !isReservedName(first);
}
