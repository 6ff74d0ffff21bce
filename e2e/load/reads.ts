import type { Outcome, LoadUser } from './load.js';
import type { LoadLedger } from './ledger.js';
import type { Random } from './random.js';
import type { Sender } from './sender.js';
import type { Stage } from './stage.js';
import { isFailure } from './tallies.js';

interface ReadsOptions {
  readonly sender: Sender;
  readonly ledger: LoadLedger;
  readonly stage: Stage;
  readonly users: readonly LoadUser[];
  readonly itemIds: readonly number[];
  readonly random: Random;
}

/** A read, and the material it depends on. */
interface Reading {
  readonly path: string;
  readonly materialId?: number;
}

const api = '/api/v1';

/** Reads of a load: all lists and single resources, recently written and older ones. */
export class Reads {
  constructor(private readonly options: ReadsOptions) {}

  async any(): Promise<void> {
    const { random, sender, users } = this.options;
    const { path, materialId } = random.of([() => this.list(), () => this.single(), () => this.single()])!();
    const { outcome } = await sender.read({ method: 'GET', path, apiKey: random.of(users)!.apiKey });
    if (!this.isExpected(outcome, materialId)) this.options.ledger.object(`GET ${path} returned ${outcome}`);
  }

  /**
   * Returns whether an outcome is expected: 200, a failure other than 500, or 404 if the material
   * may have been deleted after it was chosen.
   */
  private isExpected(outcome: Outcome, materialId: number | undefined): boolean {
    if (outcome === 404) return materialId !== undefined && this.options.stage.mayBeDeleted(materialId);
    return outcome === 200 || (isFailure(outcome) && outcome !== 500);
  }

  private list(): Reading {
    const { random, itemIds, users } = this.options;
    const { id, name } = random.of(users)!;
    const path = random.of([
      `/products?limit=${1 + random.below(50)}`,
      `/products?userId=${id}`,
      `/products?userName=${name}&offset=${random.below(10)}`,
      `/products?itemId=${random.of(itemIds)}`,
      '/products/search?q=harbour',
      '/products/search?q=ti&limit=10',
      '/products/on_sale',
      '/items',
      '/materials',
      `/materials?userId=${id}`,
      '/choices',
      '/activities',
      '/activities/unreads',
      `/users/${id}/favorites`,
      `/users/${id}`,
      '/user',
    ])!;
    return { path: `${api}${path}` };
  }

  private single(): Reading {
    const { stage, random } = this.options;
    const material = stage.any();
    const product = material && random.of(material.products.filter(({ published }) => published));
    if (!product) return this.list();
    const { pathname, search } = new URL(product.sampleImageUrl);
    const path = random.of([
      `${api}/products/${product.id}`,
      `${api}/products?materialId=${material.id}`,
      `${api}/products/${product.id}/favorites`,
      `${api}/materials/${material.id}`,
      pathname + search,
    ])!;
    return { path, materialId: material.id };
  }
}
