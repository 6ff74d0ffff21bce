import { Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import { isReservedName, operations, userName } from '#contracts';
import { Log } from '#observability';
import type { EdgeAdapter } from '../server/edge-adapter.js';
import { operationIn } from './access.js';
import { type DeclaredRoute, routesOf } from './declared-routes.js';

/**
 * Deny by default, checked at start: every route declares an operation (and with it a scope), that it is a page, or that
 * it is public, and every operation has exactly one route. The server answers what was declared, and nothing that a
 * plug-in has added. No address begins with what could be the name of a user, whose pages it would hide.
 */
@Injectable()
export class RouteCheck implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly host: HttpAdapterHost<EdgeAdapter>,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const routes = this.discovery.getControllers().flatMap(({ metatype }) => [...routesOf(metatype as Type)]);
    for (const route of routes) checkRoute(route);
    checkOperations(routes);
    const declared = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    const unseen = [...this.host.httpAdapter.routes].filter((route) => !declared.has(route));
    if (unseen.length > 0) throw new Error(`the server answers what no controller declares: ${unseen.join(', ')}`);
    const open = routes.filter(({ access }) => operationIn(access) === undefined);
    this.log.debug({ open: open.map(({ method, path }) => `${method} ${path}`) }, 'public routes');
  }
}

function checkRoute({ handler, method, path, access }: DeclaredRoute): void {
  if (!access) throw new Error(`${handler} (${method} ${path}) declares neither @Operation nor @Page nor @Public`);
  if (hidesUser(path)) throw new Error(`${handler} (${method} ${path}) takes a name that is not in reserved-names.ts`);
}

function checkOperations(routes: readonly DeclaredRoute[]): void {
  const answered = routes.flatMap(({ access }) => operationIn(access) ?? []);
  const missing = Object.keys(operations).filter((operation) => !answered.some((it) => it === operation));
  const doubled = answered.filter((operation, index) => answered.indexOf(operation) !== index);
  if (missing.length > 0) throw new Error(`no route answers ${missing.join(', ')}`);
  if (doubled.length > 0) throw new Error(`two routes answer ${doubled.join(', ')}`);
}

/** Whether the first part of a path is fixed, may be the name of a user, and is not reserved. */
export function hidesUser(path: string): boolean {
  const [first = ''] = path.split('/').filter((part) => part !== '');
  return userName.safeParse(first).success && !isReservedName(first);
}
