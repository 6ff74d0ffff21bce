import { CreateTextures } from './20261120T100000-create-textures.js';
import { ConstrainTextures } from './20261123T011200-constrain-textures.js';
import { WakeRelaysInProcess } from './20261125T101000-wake-relays-in-process.js';
import { ReferToTextures } from './20261126T100000-refer-to-textures.js';
import { CountBytesOfTextures } from './20261126T120000-count-bytes-of-textures.js';
import { LockIntakeOfTextures } from './20261126T130000-lock-intake-of-textures.js';
import { CountDrawnImages } from './20261126T140000-count-drawn-images.js';
import { ReferToTexturesWithoutUser } from './20261126T150000-refer-to-textures-without-user.js';
import { RenameDeletedUsers } from './20261127T100000-rename-deleted-users.js';
import { MarkAnimations } from './20261128T113000-mark-animations.js';
import { MakePrintFiles } from './20261128T120000-make-print-files.js';
import { StartProductions } from './20261128T140000-start-productions.js';
import { StoreTexts } from './20261128T160000-store-texts.js';

export const migrations = [
  CreateTextures,
  ConstrainTextures,
  WakeRelaysInProcess,
  ReferToTextures,
  CountBytesOfTextures,
  LockIntakeOfTextures,
  CountDrawnImages,
  ReferToTexturesWithoutUser,
  RenameDeletedUsers,
  MarkAnimations,
  MakePrintFiles,
  StartProductions,
  StoreTexts,
];
