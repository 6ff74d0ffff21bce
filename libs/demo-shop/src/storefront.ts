import type { z } from 'zod';
import type {
  ActivityListResponse,
  ChoiceCreateBody,
  ItemListResponse,
  MaterialResponse,
  ProblemResponse,
} from '#contracts';

export type Created = z.output<typeof MaterialResponse>;
export type Items = z.output<typeof ItemListResponse>['items'];
type Activities = z.output<typeof ActivityListResponse>['activities'];

/** API client of one user, over HTTP. */
export class Storefront {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  async items(): Promise<Items> {
    return (await this.send<{ items: Items }>('GET', '/items')).items;
  }

  createMaterial(body: object): Promise<Created> {
    return this.send<Created>('POST', '/materials', body);
  }

  createChoice(body: z.input<typeof ChoiceCreateBody>): Promise<object> {
    return this.send('POST', '/choices', body);
  }

  addFavorite(productId: number): Promise<object> {
    return this.send('POST', `/products/${productId}/favorites`, { count: 1 });
  }

  async unreads(): Promise<number> {
    return (await this.send<{ unreads: number }>('GET', '/activities/unreads')).unreads;
  }

  async activities(): Promise<Activities> {
    return (await this.send<{ activities: Activities }>('GET', '/activities')).activities;
  }

  /** @throws Error with method, path, status and the detail of the problem */
  private async send<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.ok) return (await response.json()) as Body;
    const problem = (await response.json()) as z.output<typeof ProblemResponse>;
    throw new Error(`${method} ${path} returned ${response.status}: ${problem.detail}`);
  }
}

/**
 * Downloads an image.
 *
 * @throws Error with the status of a failed response
 */
export async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
