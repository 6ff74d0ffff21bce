import { CreateSocial } from './20261120T100020-create-social.js';
import { CreateChoices } from './20261121T090000-create-choices.js';
import { CreateIdempotencyKeys } from './20261121T090100-create-idempotency-keys.js';
import { ListFavorites } from './20261121T090200-list-favorites.js';
import { DismissUsers } from './20261122T021000-dismiss-users.js';
import { OrderStamps } from './20261122T022000-order-stamps.js';
import { ConstrainSocial } from './20261123T011300-constrain-social.js';
import { LeaveRoomForCounts } from './20261125T100000-leave-room-for-counts.js';
import { WakeRelaysInProcess } from './20261125T101000-wake-relays-in-process.js';
import { ListByOwner } from './20261126T143200-list-by-owner.js';
import { RenameDeletedUsers } from './20261127T100000-rename-deleted-users.js';
import { RenameResponseConstraint } from './20261127T100300-rename-response-constraint.js';
import { AddSocialRevisions } from './20261127T120000-add-revisions.js';
import { LockSeveralUsers } from './20261128T100000-lock-several-users.js';
import { LeaveRoomForSocialClaims } from './20261128T110000-leave-room-for-claims.js';

export const migrations = [
  CreateSocial,
  CreateChoices,
  CreateIdempotencyKeys,
  ListFavorites,
  DismissUsers,
  OrderStamps,
  ConstrainSocial,
  LeaveRoomForCounts,
  WakeRelaysInProcess,
  ListByOwner,
  RenameDeletedUsers,
  RenameResponseConstraint,
  AddSocialRevisions,
  LockSeveralUsers,
  LeaveRoomForSocialClaims,
];
