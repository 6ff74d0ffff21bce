import { appNames, type AppName } from '../../tools/dev-stack/apps/apps.js';

/** Processes that do the same; material-rendering answers and draws in processes of their own. */
export interface Group {
  readonly name: string;
  readonly app: AppName;
  readonly environment?: NodeJS.ProcessEnv;
}

const drawing: readonly Group[] = [
  { name: 'images', app: 'material-rendering', environment: { RENDERING_ROLES: 'requests' } },
  { name: 'workers', app: 'material-rendering', environment: { RENDERING_ROLES: 'workers' } },
];

/** In the order of starting. */
export const groups: readonly Group[] = appNames.flatMap((app) =>
  app === 'material-rendering' ? drawing : [{ name: app, app }],
);
