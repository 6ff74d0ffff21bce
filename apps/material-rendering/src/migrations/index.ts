import { CreateTextures } from './20261120T100000-create-textures.js';
import { ConstrainTextures } from './20261123T011200-constrain-textures.js';

export const migrations = [CreateTextures, ConstrainTextures];
