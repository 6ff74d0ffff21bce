import { appNames, type AppName } from '../../tools/dev-stack/apps/apps.js';

/**
 * Group of processes with the same app and settings. material-rendering has two: for requests and
 * for jobs.
 */
export interface Group {
  readonly name: string;
  readonly app: AppName;
  readonly environment?: NodeJS.ProcessEnv;
}

const renderingGroups: readonly Group[] = [
  { name: 'images', app: 'material-rendering', environment: { RENDERING_ROLES: 'requests' } },
  { name: 'workers', app: 'material-rendering', environment: { RENDERING_ROLES: 'workers' } },
];

/** Groups in start order. */
export const groups: readonly Group[] = appNames.flatMap((app) =>
  app === 'material-rendering' ? renderingGroups : [{ name: app, app }],
);
