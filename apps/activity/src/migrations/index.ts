import { CreateActivity } from './20261120T100030-create-activity.js';

export const migrations = [CreateActivity];
