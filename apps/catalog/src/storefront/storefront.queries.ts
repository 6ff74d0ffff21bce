import { Injectable } from '@nestjs/common';
import { type Banner, type Promotion } from '#contracts';
import { Database } from '#persistence';

/** Reads all banners and promotions of the storefront, newest first. */
@Injectable()
export class StorefrontQueries {
  constructor(private readonly database: Database) {}

  banners(): Promise<Banner[]> {
    return this.database.read(
      'select id, display_size as "displaySize", image_url as "imageUrl" from banners order by created_at desc, id desc',
    );
  }

  promotions(): Promise<Promotion[]> {
    return this.database.read('select id, name, category, url from promotions order by created_at desc, id desc');
  }
}
