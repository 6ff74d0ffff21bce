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

/** The API as one user sees it, over HTTP like any other client. */
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

  favor(productId: number): Promise<object> {
    return this.send('POST', `/products/${productId}/favorites`, { count: 1 });
  }

  async unreads(): Promise<number> {
    return (await this.send<{ unreads: number }>('GET', '/activities/unreads')).unreads;
  }

  async activities(): Promise<Activities> {
    return (await this.send<{ activities: Activities }>('GET', '/activities')).activities;
  }

  /** @throws Error that names the operation, the status and the reason */
  private async send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.ok) return (await answer.json()) as Answer;
    const problem = (await answer.json()) as z.output<typeof ProblemResponse>;
    throw new Error(`${method} ${path} was answered ${answer.status}: ${problem.detail}`);
  }
}

/** The bytes of an image. @throws Error with the status when there is none */
export async function download(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}
