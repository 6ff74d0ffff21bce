import { metricGroup } from '#observability';

/** How often somebody tries what only so many tries are allowed of. */
export const signInAttemptMetrics = metricGroup((make) => ({
  attempts: make.counter(
    'accounts_attempts_total',
    'Attempts by the limit that counts them (of a login, of an address, to sign up, to set out for a provider) and outcome: counted, refused, or refused because Redis was away (uncounted)',
    'limit',
    'outcome',
  ),
}));
