import { type ItemNames, type Language, type Product, type ReplyOf, type Services } from '#contracts';
import { shopTexts } from '../shop/shop.texts.js';
import { creatorName, type ShopView } from '../shop/shop.view.js';

/** Converts a date and time of the API to RFC 3339, which Atom requires. */
const toRfc3339 = (dateTime: string): string => new Date(dateTime).toISOString();

/** Returns the data of the Atom feed of a creator. */
export function creatorFeed(
  shopView: ShopView,
  user: ReplyOf<Services['accounts'], 'users.show'>,
  products: readonly Product[],
  names: ItemNames,
  language: Language,
): object {
  const page = shopView.absolute(shopView.creator(user));
  const creator = creatorName(user);
  const dates = [user.createdAt, ...products.map(({ updatedAt }) => updatedAt)].map(toRfc3339);
  return {
    language,
    creator,
    page,
    self: `${page}/feed.atom`,
    title: shopTexts[language].productsOf(creator),
    updated: dates.sort().at(-1),
    entries: products.map((product) => ({
      // The address of a product page contains the variant, which can change
      id: `${page}/${product.material.id}/${product.item.name}`,
      title: shopView.title(product, names),
      updated: toRfc3339(product.updatedAt),
      published: product.publishedAt === null ? null : toRfc3339(product.publishedAt),
      page: product.sampleUrl,
      image: shopView.preview(product, shopView.sample(product)),
      description: product.material.description,
    })),
  };
}
