import { CreateItems } from './20261120T100000-create-items.js';
import { CreateMaterialsAndProducts } from './20261120T101500-create-materials-and-products.js';

export const migrations = [CreateItems, CreateMaterialsAndProducts];
