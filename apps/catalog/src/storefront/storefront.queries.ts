import { Injectable } from '@nestjs/common';
import { type LinkedBanner, type Promotion } from '#contracts';
import { Database } from '#persistence';

/** Reads all banners and promotions of the storefront, newest first. */
@Injectable()
export class StorefrontQueries {
  constructor(private readonly database: Database) {}

  banners({ withLinks = false }: { readonly withLinks?: boolean | undefined } = {}): Promise<LinkedBanner[]> {
    const links = withLinks ? ', alt_text as "altText", link_url as "linkUrl"' : '';
    return this.database.read(
      `select id, display_size as "displaySize", image_url as "imageUrl"${links} from banners
       order by created_at desc, id desc`,
    );
  }

  promotions(): Promise<Promotion[]> {
    return this.database.read('select id, name, category, url from promotions order by created_at desc, id desc');
  }
}
