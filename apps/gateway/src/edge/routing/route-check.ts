import { Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import { isReservedName, operations, userName } from '#contracts';
import { Log } from '#observability';
import type { EdgeAdapter } from '../server/edge-adapter.js';
import { audienceIn, operationIn } from './access.js';
import { type DeclaredRoute, routesOf } from './declared-routes.js';

/**
 * Startup check (deny by default): every route declares an operation with its scope, a page, or
 * public access, and every operation has exactly one route. Every page with POST declares the rate
 * limit that it shares, or why it shares none. The server has no undeclared routes, such as those
 * of plugins. No path starts with a possible user name, because the path would hide the pages of
 * that user.
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
    if (unseen.length > 0) throw new Error(`the server has undeclared routes: ${unseen.join(', ')}`);
    const open = routes.filter(({ access }) => operationIn(access) === undefined);
    this.log.debug({ open: open.map(({ method, path }) => `${method} ${path}`) }, 'public routes');
  }
}

function checkRoute({ handler, method, path, access, pageRateLimit }: DeclaredRoute): void {
  const route = `${handler} (${method} ${path})`;
  if (!access) throw new Error(`${route} declares neither @Operation nor @Page nor @Public`);
  if (method === 'POST' && audienceIn(access) !== undefined && !pageRateLimit)
    throw new Error(`${route} declares neither @CountsAs nor @FormCountsAs nor @NotCounted`);
  if (hidesUser(path)) throw new Error(`${route} takes a name that is not in reserved-names.ts`);
}

function checkOperations(routes: readonly DeclaredRoute[]): void {
  const routed = routes.flatMap(({ access }) => operationIn(access) ?? []);
  const missing = Object.keys(operations).filter((operation) => !routed.some((it) => it === operation));
  const doubled = routed.filter((operation, index) => routed.indexOf(operation) !== index);
  if (missing.length > 0) throw new Error(`no route for ${missing.join(', ')}`);
  if (doubled.length > 0) throw new Error(`two routes for ${doubled.join(', ')}`);
}

/**
 * Returns whether the first segment of a path is fixed, is a possible user name, and is not
 * reserved.
 */
export function hidesUser(path: string): boolean {
  const [first = ''] = path.split('/').filter((part) => part !== '');
  return userName.safeParse(first).success && !isReservedName(first);
}
