import type { z } from 'zod';
import {
  type FavoriteCreateResponse,
  type FavoriteDeleteResponse,
  resizeModes,
  type MaterialWriteResponse,
} from '#contracts';
import type { LoadResponse } from './client.js';
import type { Goods } from './goods.js';
import type { LoadLedger, Made } from './ledger.js';
import type { LoadUser, ProductRecord } from './load.js';
import type { Random } from './random.js';
import type { Sender } from './sender.js';
import type { Pair, Stage, StagedMaterial } from './stage.js';

type Written = z.output<typeof MaterialWriteResponse>;
type Placed = z.output<typeof FavoriteCreateResponse>;
type Deleted = z.output<typeof FavoriteDeleteResponse>;

/** Maximum numbers per user. At a maximum, a write deletes a resource instead of creating one. */
const materialsPerUser = 12;
const favoritesPerUser = 15;

const words = ['harbour', 'gull', 'lantern', 'tide', 'rope', 'anchor'] as const;

const productsOf = ({ products }: Written): ProductRecord[] =>
  products.map(({ id, item, published, resizeMode, sampleImageUrl }) => ({
    id,
    published,
    resizeMode,
    sampleImageUrl,
    itemId: item.id,
  }));

const madeOf = (written: Written): Made => ({
  id: written.material.id,
  title: written.material.title,
  products: productsOf(written),
});

interface WritesOptions {
  readonly sender: Sender;
  readonly ledger: LoadLedger;
  readonly stage: Stage;
  readonly users: readonly LoadUser[];
  readonly goods: Goods;
  readonly random: Random;
  /** Part of every title and key, so that two loads do not share any. */
  readonly seed: number;
}

/** Writes of a load. Each method starts one, or returns undefined if no resource is available. */
export class Writes {
  private written = 0;

  constructor(private readonly options: WritesOptions) {}

  /** Creates a material, or deletes the oldest one if the user has enough. */
  createOrDelete(): Promise<void> | undefined {
    const { stage, random } = this.options;
    const user = this.anyUser();
    if (stage.countOf(user) < materialsPerUser) return random.next() < 0.1 ? this.write(user) : this.make(user);
    const material = stage.oldestOf(user);
    return material && stage.whileWritten(material, () => this.delete(material));
  }

  retitle(): Promise<void> | undefined {
    const { stage } = this.options;
    const material = stage.anyChangeable();
    return material && stage.whileWritten(material, () => this.change(material));
  }

  /** Changes the resize mode of a product, which renders its images again. */
  redraw(): Promise<void> | undefined {
    const { stage, goods } = this.options;
    const material = stage.anyChangeable(goods.fillableId);
    return material && stage.whileWritten(material, () => this.layInAnew(material));
  }

  /** Places a favorite, or deletes one if the user has enough. */
  placeFavorite(): Promise<void> | undefined {
    const { stage } = this.options;
    const user = this.anyUser();
    const isEnough = stage.countPlaced(user) >= favoritesPerUser;
    const pair = isEnough ? stage.anyPlaced(user) : stage.anyPairForFavorite(user);
    return pair && stage.whilePairWritten(pair, () => (isEnough ? this.withdraw(pair) : this.place(pair)));
  }

  private make(user: LoadUser): Promise<void> {
    const { goods, random } = this.options;
    const [one, other] = [random.below(goods.itemIds.length), random.below(goods.itemIds.length)];
    const itemIds = [...new Set([one, other])].slice(0, random.next() < 0.1 ? 0 : 1 + random.below(2));
    const products = itemIds.map((index) => {
      const itemId = goods.itemIds[index];
      const layIn = itemId === goods.fillableId && { resizeMode: random.of(resizeModes) };
      return { itemId, published: true, ...layIn };
    });
    return this.create(user, '/api/v1/materials', { texture: random.of(goods.textures), products });
  }

  private write(user: LoadUser): Promise<void> {
    return this.create(user, '/api/v1/materials/text', { text: this.options.random.of(words) });
  }

  private async create(user: LoadUser, path: string, fields: object): Promise<void> {
    const { sender, ledger, stage } = this.options;
    const title = this.nextTitle();
    ledger.making(user.id, title);
    stage.beginMaking(user);
    const body = { ...fields, title };
    const { response } = await sender.write({ method: 'POST', path, apiKey: user.apiKey, body, idempotencyKey: title });
    stage.endMaking(user);
    if (response?.outcome === 200) {
      const made = madeOf(response.body as Written);
      ledger.made(user.id, title, made);
      stage.add({ ...made, user });
    } else if (response) {
      ledger.notMade(title);
      this.objectTo(response, `making "${title}"`);
    }
  }

  private async change(material: StagedMaterial): Promise<void> {
    const { sender, ledger } = this.options;
    const { id, user } = material;
    const title = this.nextTitle();
    ledger.retitling(id, title);
    const path = `/api/v1/materials/${id}`;
    const { response, isUncertain } = await sender.write({ method: 'PUT', path, apiKey: user.apiKey, body: { title } });
    material.isUncertain = isUncertain;
    if (response?.outcome === 200) ledger.retitled(id, title, (response.body as Written).material.title);
    else if (response) this.objectTo(response, `changing material ${id}`);
  }

  private async layInAnew(material: StagedMaterial): Promise<void> {
    const { sender, ledger, goods } = this.options;
    const { id, user, products } = material;
    const product = products.find(({ itemId }) => itemId === goods.fillableId)!;
    const resizeMode = product.resizeMode === 'cover' ? 'contain' : 'cover';
    const redrawing = { productId: product.id, resizeMode } as const;
    ledger.redrawing(id, redrawing);
    const path = `/api/v1/materials/${id}`;
    const body = { products: [{ itemId: product.itemId, resizeMode }] };
    const { response, isUncertain } = await sender.write({ method: 'PUT', path, apiKey: user.apiKey, body });
    material.isUncertain = isUncertain;
    if (response?.outcome === 200) {
      material.products = productsOf(response.body as Written);
      ledger.redrawn(id, redrawing, material.products);
    } else if (response) this.objectTo(response, `laying in product ${product.id}`);
  }

  private async delete(material: StagedMaterial): Promise<void> {
    const { sender, ledger, stage } = this.options;
    const { id, user } = material;
    ledger.deleting(id);
    const path = `/api/v1/materials/${id}`;
    const { response, isUncertain } = await sender.write({ method: 'DELETE', path, apiKey: user.apiKey });
    if (response?.outcome === 204 || (response?.outcome === 404 && isUncertain)) ledger.deleted(id);
    else if (response) this.objectTo(response, `deleting material ${id}`);
    stage.remove(material);
  }

  private async place(pair: Pair): Promise<void> {
    const { sender, ledger, random } = this.options;
    const { key, user, product, material } = pair;
    const count = 1 + random.below(3);
    const before = ledger.favorites.get(key)?.counts ?? new Set([0]);
    ledger.placing({ userId: user.id, productId: product.id, ownerId: material.user.id }, count);
    const path = `/api/v1/products/${product.id}/favorites`;
    const idempotencyKey = this.nextTitle();
    const { response } = await sender.write({
      method: 'POST',
      path,
      apiKey: user.apiKey,
      body: { count },
      idempotencyKey,
    });
    // An aborted write may have had an effect, so the favorite is not used again
    pair.isUncertain = response === undefined;
    if (response?.outcome === 201) {
      const { favorite, meta } = response.body as Placed;
      ledger.placed(key, before, count, { count: favorite.count, totalCount: meta.totalCount });
      pair.isPlaced = true;
    } else if (response) this.objectTo(response, `placing ${key}`);
  }

  private async withdraw(pair: Pair): Promise<void> {
    const { sender, ledger } = this.options;
    const { key, user, product } = pair;
    const before = ledger.favorites.get(key)!.counts;
    ledger.withdrawing(key);
    const path = `/api/v1/products/${product.id}/favorites`;
    const { response, isUncertain } = await sender.write({ method: 'DELETE', path, apiKey: user.apiKey });
    pair.isUncertain = isUncertain;
    pair.isPlaced = false;
    if (response?.outcome === 200) ledger.withdrawn(key, before, (response.body as Deleted).count);
    else if (response?.outcome === 404 && isUncertain) ledger.withdrawn(key, before, undefined);
    else if (response) this.objectTo(response, `withdrawing ${key}`);
  }

  private anyUser(): LoadUser {
    return this.options.random.of(this.options.users)!;
  }

  private nextTitle(): string {
    this.written += 1;
    return `${words[this.written % words.length]} ${this.options.seed}-${this.written}`;
  }

  private objectTo({ outcome, body }: LoadResponse, what: string): void {
    this.options.ledger.object(`${what} returned ${outcome}: ${JSON.stringify(body).slice(0, 300)}`);
  }
}
