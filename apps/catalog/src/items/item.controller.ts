import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { blanksFolder } from '#blanks';
import { type ImportedItem, type ItemDetails, type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { handlerFor, RawReply } from '#request-queue';
import { ReplyValidity } from '../products/caching/reply-validity.rules.js';
import { ItemCache } from './item.cache.js';
import { type Imported, ItemService, type LoadedCounts } from './item.service.js';

const Handles = handlerFor('catalog');

@Controller()
export class ItemController {
  constructor(
    private readonly catalog: ItemCache,
    private readonly items: ItemService,
    private readonly validity: ReplyValidity,
  ) {}

  @Handles('items.list')
  async list(@Payload() { nameLanguage }: PayloadOf<Services['catalog'], 'items.list'>): Promise<RawReply> {
    const catalog = await this.catalog.current();
    const { listJson, etag } = catalog.in(nameLanguage);
    return RawReply.json(listJson, { headers: { etag } }).validWhile(this.validity.ofItems(catalog));
  }

  @Handles('items.names')
  async names(@Payload() { language }: PayloadOf<Services['catalog'], 'items.names'>): Promise<RawReply> {
    const { namesJson } = await this.catalog.current();
    return RawReply.json(namesJson[language]);
  }

  @Handles('items.wearing-image')
  async wearingImage(
    @Payload() { itemName, version: wanted }: PayloadOf<Services['catalog'], 'items.wearing-image'>,
  ): Promise<ReplyOf<Services['catalog'], 'items.wearing-image'>> {
    const item = (await this.catalog.withVersion(itemName, wanted)).itemByName(itemName);
    if (item?.wearingAngle === undefined) return null;
    const { wearingAngle: angle, layers, version } = item;
    const { name: color, rgb } = item.exemplaryVariant.color;
    return { angle, color, rgb, layers, version };
  }

  @Handles('categories.list')
  async categories(@Payload() { nameLanguage }: PayloadOf<Services['catalog'], 'categories.list'>): Promise<RawReply> {
    const catalog = await this.catalog.current();
    const { categoriesJson, categoriesEtag: etag } = catalog.in(nameLanguage);
    return RawReply.json(categoriesJson, { headers: { etag } }).validWhile(this.validity.ofItems(catalog));
  }

  @Handles('blanks.import')
  import(@Payload() bundle: PayloadOf<Services['catalog'], 'blanks.import'>): Promise<Imported> {
    return this.items.import(bundle);
  }

  @Handles('blanks.list')
  async listImported(): Promise<{ items: ImportedItem[] }> {
    return { items: await this.items.imported() };
  }

  @Handles('blanks.used-blobs')
  async usedBlobs(
    @Payload() { keys }: PayloadOf<Services['catalog'], 'blanks.used-blobs'>,
  ): Promise<{ keys: string[] }> {
    return { keys: await this.items.usedBlobs(keys) };
  }

  @Handles('blanks.show')
  show(@Payload() { name }: PayloadOf<Services['catalog'], 'blanks.show'>): Promise<ItemDetails> {
    return this.items.details(name);
  }

  @Handles('blanks.retire')
  retire(@Payload() { name }: PayloadOf<Services['catalog'], 'blanks.retire'>): Promise<ImportedItem> {
    return this.items.retire(name);
  }

  @Handles('items.load')
  load(@Payload() { withoutItems }: PayloadOf<Services['catalog'], 'items.load'>): Promise<LoadedCounts> {
    return this.items.load(blanksFolder, withoutItems);
  }
}
