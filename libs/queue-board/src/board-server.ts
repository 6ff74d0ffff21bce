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
import type { InternalPage } from '#observability';

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain',
};

/** Nothing but what comes from here: a job may hold text of people. Styles stand in the page and in its elements. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const json = (status: number, body: unknown): InternalPage => ({
  status,
  type: 'application/json; charset=utf-8',
  headers: pageHeaders,
  body: JSON.stringify(body),
});
const nothing = json(404, { status: 'nothing is here' });

type Params = Readonly<Record<string, string>>;

interface Route {
  readonly methods: readonly string[];
  readonly pattern: string;
  readonly answer: (params: Params, query: Params) => Promise<InternalPage>;
}

const listOf = <T>(oneOrMore: T | T[]): T[] => (Array.isArray(oneOrMore) ? oneOrMore : [oneOrMore]);

/** What stands in a path for `:names` of a pattern; undefined when the path is another one. */
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

/** Shows Bull Board to a server that hands over requests without bodies, one by one. */
export class BoardServer implements IServerAdapter {
  private queues: BullBoardQueues = new Map();
  private uiConfig: UIConfig = {};
  private folder = '';
  private told: (error: Error) => ControllerHandlerReturnType = () => ({ status: 500, body: {} });
  private statics = { route: '', folder: '' };
  private readonly routes: Route[] = [];

  /** @param basePath below which it is shown, without a slash at its end */
  constructor(private readonly basePath: string) {}

  /** @param path below the base path, without a query */
  async answer(method: string, path: string, query: URLSearchParams): Promise<InternalPage> {
    const asked = method === 'HEAD' ? 'GET' : method;
    const { route, folder } = this.statics;
    if (asked === 'GET' && path.startsWith(`${route}/`)) return fileOf(folder, path.slice(route.length + 1));
    for (const { methods, pattern, answer } of this.routes) {
      const params = methods.includes(asked) ? paramsOf(pattern, path) : undefined;
      if (params) return answer(params, Object.fromEntries(query));
    }
    return nothing;
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
    this.told = handler;
    return this;
  }

  setEntryRoute(entry: AppViewRoute): this {
    const answer = async (): Promise<InternalPage> => {
      const { name, params } = entry.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      const template = await readFile(join(this.folder, name), 'utf8');
      const body = template
        .replaceAll(/<%[-=] (\w+) %>/g, (_, param: string) => params[param] ?? '')
        // Fonts of somebody who need not know who looks at a board
        .replaceAll(/<link href="https:[^>]*>/g, '');
      return { status: 200, type: 'text/html; charset=utf-8', body, headers: pageHeaders };
    };
    for (const pattern of ['', ...listOf(entry.route)]) this.routes.push({ methods: ['GET'], pattern, answer });
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    for (const api of routes) {
      const methods = listOf(api.method).map((method) => method.toUpperCase());
      const answer: Route['answer'] = async (params, query) => {
        const { queues, uiConfig } = this;
        const { status = 200, body } = await this.outcomeOf(() =>
          api.handler({ queues, uiConfig, params, query, headers: {}, body: {} }),
        );
        return json(status === 204 ? 200 : status, body);
      };
      for (const pattern of listOf(api.route)) this.routes.push({ methods, pattern, answer });
    }
    return this;
  }

  private async outcomeOf(
    handle: () => ControllerHandlerReturnType | Promise<ControllerHandlerReturnType>,
  ): Promise<ControllerHandlerReturnType> {
    try {
      return await handle();
    } catch (error) {
      return this.told(error as Error);
    }
  }
}

/** No part of a name begins with a dot: what is above the folder cannot be said. */
async function fileOf(folder: string, name: string): Promise<InternalPage> {
  if (!/^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(name)) return nothing;
  try {
    const body = await readFile(join(folder, name));
    // Their names tell their contents
    const headers = { ...pageHeaders, 'cache-control': 'private, max-age=86400' };
    return { status: 200, type: mediaTypes[extname(name)] ?? 'application/octet-stream', body, headers };
  } catch {
    return nothing;
  }
}
