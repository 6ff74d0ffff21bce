import { CreateSocial } from './20261120T100020-create-social.js';

export const migrations = [CreateSocial];
