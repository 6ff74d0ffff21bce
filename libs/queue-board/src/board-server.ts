import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { InternalResponse } from '#observability';
import { rejectedActionsStyle } from './rejected-actions.js';

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain',
};

/**
 * Allows resources of this origin and inline images only, because a job may contain text of users.
 * Styles are inline in the page and its elements.
 */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const json = (status: number, body: unknown): InternalResponse => ({
  status,
  type: 'application/json; charset=utf-8',
  headers: pageHeaders,
  body: JSON.stringify(body),
});
const notFound = json(404, { status: 'not found' });

type Params = Readonly<Record<string, string>>;

interface Route {
  readonly methods: readonly string[];
  readonly pattern: string;
  readonly handle: (params: Params, query: Params) => Promise<InternalResponse>;
}

const listOf = <T>(oneOrMore: T | T[]): T[] => (Array.isArray(oneOrMore) ? oneOrMore : [oneOrMore]);

/**
 * Returns the values of the `:names` of a pattern in a path, or undefined if the path does not
 * match.
 */
function paramsOf(pattern: string, path: string): Params | undefined {
  const [names, values] = [pattern.split('/'), path.split('/')];
  if (names.length !== values.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const value = values[at]!;
    if (!name.startsWith(':')) {
      if (name !== value) return undefined;
    } else if (value === '') return undefined;
    else params[name.slice(1)] = value;
  }
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

/** Adapter of Bull Board for a server that passes requests without bodies. */
export class BoardServer implements IServerAdapter {
  private queues: BullBoardQueues = new Map();
  private uiConfig: UIConfig = {};
  private folder = '';
  private errorHandler: (error: Error) => ControllerHandlerReturnType = () => ({ status: 500, body: {} });
  private statics = { route: '', folder: '' };
  private readonly routes: Route[] = [];

  /** @param basePath path prefix of the board, without a trailing slash */
  constructor(private readonly basePath: string) {}

  /** @param path below the base path, without a query */
  async handle(method: string, path: string, query: URLSearchParams): Promise<InternalResponse> {
    const effectiveMethod = method === 'HEAD' ? 'GET' : method;
    const { route, folder } = this.statics;
    if (effectiveMethod === 'GET' && path.startsWith(`${route}/`)) return fileOf(folder, path.slice(route.length + 1));
    for (const { methods, pattern, handle } of this.routes) {
      const params = methods.includes(effectiveMethod) ? paramsOf(pattern, path) : undefined;
      if (params) return handle(params, Object.fromEntries(query));
    }
    return notFound;
  }

  setQueues(queues: BullBoardQueues): this {
    this.queues = queues;
    return this;
  }

  setViewsPath(folder: string): this {
    this.folder = folder;
    return this;
  }

  setStaticPath(route: string, folder: string): this {
    this.statics = { route, folder };
    return this;
  }

  setUIConfig(config: UIConfig): this {
    this.uiConfig = config;
    return this;
  }

  setErrorHandler(handler: (error: Error) => ControllerHandlerReturnType): this {
    this.errorHandler = handler;
    return this;
  }

  setEntryRoute(entry: AppViewRoute): this {
    const handle = async (): Promise<InternalResponse> => {
      const { name, params } = entry.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      const template = await readFile(join(this.folder, name), 'utf8');
      const body = template
        .replaceAll(/<%[-=] (\w+) %>/g, (_, param: string) => params[param] ?? '')
        // Removes fonts of a third party, which would reveal who uses the board
        .replaceAll(/<link href="https:[^>]*>/g, '')
        .replace('</head>', `<style>${rejectedActionsStyle}</style></head>`);
      return { status: 200, type: 'text/html; charset=utf-8', body, headers: pageHeaders };
    };
    for (const pattern of ['', ...listOf(entry.route)]) this.routes.push({ methods: ['GET'], pattern, handle });
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    for (const api of routes) {
      const methods = listOf(api.method).map((method) => method.toUpperCase());
      const handle: Route['handle'] = async (params, query) => {
        const { queues, uiConfig } = this;
        const { status = 200, body } = await this.outcomeOf(() =>
          api.handler({ queues, uiConfig, params, query, headers: {}, body: {} }),
        );
        return json(status === 204 ? 200 : status, body);
      };
      for (const pattern of listOf(api.route)) this.routes.push({ methods, pattern, handle });
    }
    return this;
  }

  private async outcomeOf(
    call: () => ControllerHandlerReturnType | Promise<ControllerHandlerReturnType>,
  ): Promise<ControllerHandlerReturnType> {
    try {
      return await call();
    } catch (error) {
      return this.errorHandler(error as Error);
    }
  }
}

/**
 * Returns a file of the folder. No segment of a valid name begins with a dot, so no path leads out
 * of the folder.
 */
async function fileOf(folder: string, name: string): Promise<InternalResponse> {
  if (!/^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(name)) return notFound;
  try {
    const body = await readFile(join(folder, name));
    // The names of scripts and styles contain a hash of their contents
    const headers = { ...pageHeaders, 'cache-control': 'private, max-age=86400' };
    return { status: 200, type: mediaTypes[extname(name)] ?? 'application/octet-stream', body, headers };
  } catch {
    return notFound;
  }
}
