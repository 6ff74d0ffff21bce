import { metricGroup } from '#observability';

/** How often somebody tries what only so many tries are allowed of. */
export const signInAttemptMetrics = metricGroup((make) => ({
  attempts: make.counter(
    'accounts_attempts_total',
    'Attempts by limit (login, address, sign-up, redirect to a provider) and outcome: counted, refused, uncounted (refused, because Redis is unavailable)',
    'limit',
    'outcome',
  ),
}));
