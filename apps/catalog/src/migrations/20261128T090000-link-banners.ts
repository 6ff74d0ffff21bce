import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the alternative text and the link of a banner. */
export class LinkBanners implements MigrationInterface {
  readonly name = 'LinkBanners1795856400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table banners
      add column alt_text text constraint banners_alt_text check (char_length(alt_text) between 1 and 255),
      add column link_url text constraint banners_link_url
        check (link_url ~* '^https?://' and char_length(link_url) <= 2048),
      add constraint banners_link_name check (link_url is null or alt_text is not null)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table banners drop column alt_text, drop column link_url');
  }
}
