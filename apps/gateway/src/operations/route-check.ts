import { Inject, Injectable, type OnApplicationBootstrap, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { operations } from '#contracts';
import { GATEWAY_LOG, type GatewayLog } from '../gateway-log.js';
import { operationKey, publicKey } from './operation.decorator.js';

/**
 * Deny by default, checked at start: every route declares an operation (and with it a scope) or that it is public, and
 * every operation has exactly one route.
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
      else if (Reflect.getMetadata(publicKey, target)) open.push(`${method} ${path}`);
      else throw new Error(`${name} (${method} ${path}) declares neither @Operation nor @Public`);
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
      for (const key of this.scanner.getAllMethodNames(prototype)) {
        const target = prototype[key]!;
        const path = Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined;
        if (path === undefined) continue;
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, target) as RequestMethod];
        yield { name: `${name}.${key}`, method, path: String(path), target };
      }
    }
  }
}
