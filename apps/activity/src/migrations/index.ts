import { CreateActivity } from './20261120T100030-create-activity.js';
import { DismissUsers } from './20261122T021000-dismiss-users.js';
import { FindBuyers } from './20261122T021100-find-buyers.js';
import { ConstrainActivities } from './20261123T011400-constrain-activities.js';
import { FavoritesOfAnHour } from './20261125T091000-favorites-of-an-hour.js';
import { ForgetActivities } from './20261125T100000-forget-activities.js';
import { WakeRelaysInProcess } from './20261125T101000-wake-relays-in-process.js';
import { RenameDeletedUsers } from './20261127T100000-rename-deleted-users.js';
import { RenameFavoriteActivities } from './20261127T100100-rename-favorite-activities.js';
import { AddWebhookActivities } from './20261127T110100-add-webhook-activities.js';
import { PublishActivities } from './20261127T120000-publish-activities.js';
import { LeaveRoomForActivityClaims } from './20261128T110000-leave-room-for-claims.js';

export const migrations = [
  CreateActivity,
  DismissUsers,
  FindBuyers,
  ConstrainActivities,
  FavoritesOfAnHour,
  ForgetActivities,
  WakeRelaysInProcess,
  RenameDeletedUsers,
  RenameFavoriteActivities,
  AddWebhookActivities,
  PublishActivities,
  LeaveRoomForActivityClaims,
];
