import { CreateItems } from './20261120T100000-create-items.js';
import { CreateMaterialsAndProducts } from './20261120T101500-create-materials-and-products.js';
import { PublishProducts } from './20261121T090000-publish-products.js';
import { CreateIdempotencyKeys } from './20261121T090100-create-idempotency-keys.js';
import { SearchProducts } from './20261121T093000-search-products.js';
import { CreateSales } from './20261121T093100-create-sales.js';
import { CreateStorefront } from './20261121T093200-create-storefront.js';
import { ModerateMaterials } from './20261121T094000-moderate-materials.js';
import { RevisePictures } from './20261121T095000-revise-pictures.js';
import { DismissUsers } from './20261122T021000-dismiss-users.js';
import { ConstrainCatalog } from './20261123T011100-constrain-catalog.js';
import { MarkChanges } from './20261124T090000-mark-changes.js';
import { PublishTitles } from './20261125T090000-publish-titles.js';
import { KeepProductsVacuumed } from './20261125T100000-keep-products-vacuumed.js';
import { WakeRelaysInProcess } from './20261125T101000-wake-relays-in-process.js';
import { FindTextures } from './20261126T100000-find-textures.js';
import { ListByOwner } from './20261126T143100-list-by-owner.js';
import { RenameDeletedUsers } from './20261127T100000-rename-deleted-users.js';
import { RenameDataVersions } from './20261127T100100-rename-data-versions.js';
import { RenameImageRevision } from './20261127T100200-rename-image-revision.js';
import { RenameResponseConstraint } from './20261127T100300-rename-response-constraint.js';
import { AddCatalogRevisions } from './20261127T120000-add-revisions.js';
import { LinkBanners } from './20261128T090000-link-banners.js';
import { PrintItems } from './20261128T100000-print-items.js';
import { PlaceArtworks } from './20261128T110000-place-artworks.js';
import { MarkAnimations } from './20261128T113000-mark-animations.js';
import { RecordPurchases } from './20261128T130000-record-purchases.js';
import { PlaceFurtherArtworks } from './20261128T140000-place-further-artworks.js';
import { ImportItems } from './20261128T170000-import-items.js';
import { AssignOwnIds } from './20261128T190000-assign-own-ids.js';
import { OrderResizeModes } from './20261129T045500-order-resize-modes.js';

export const migrations = [
  CreateItems,
  CreateMaterialsAndProducts,
  PublishProducts,
  CreateIdempotencyKeys,
  SearchProducts,
  CreateSales,
  CreateStorefront,
  ModerateMaterials,
  RevisePictures,
  DismissUsers,
  ConstrainCatalog,
  MarkChanges,
  PublishTitles,
  KeepProductsVacuumed,
  WakeRelaysInProcess,
  FindTextures,
  ListByOwner,
  RenameDeletedUsers,
  RenameDataVersions,
  RenameImageRevision,
  RenameResponseConstraint,
  AddCatalogRevisions,
  LinkBanners,
  PrintItems,
  PlaceArtworks,
  MarkAnimations,
  RecordPurchases,
  PlaceFurtherArtworks,
  ImportItems,
  AssignOwnIds,
  OrderResizeModes,
];
