import { CreateTextures } from './20261120T100000-create-textures.js';
import { ConstrainTextures } from './20261123T011200-constrain-textures.js';
import { WakeRelaysInProcess } from './20261125T101000-wake-relays-in-process.js';

export const migrations = [CreateTextures, ConstrainTextures, WakeRelaysInProcess];
