import { CreateTextures } from './20261120T100000-create-textures.js';

export const migrations = [CreateTextures];
