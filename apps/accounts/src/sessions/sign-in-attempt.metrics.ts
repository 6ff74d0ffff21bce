import { metricGroup } from '#observability';

/** Metrics of the rate-limited attempts of `SignInRateLimiter`. */
export const signInAttemptMetrics = metricGroup((make) => ({
  attempts: make.counter(
    'accounts_sign_in_attempts_total',
    'Attempts by limit (login, address, sign-up, redirect to a provider, mail to a recipient, mails of an address) and outcome: counted, rejected, uncounted (rejected, because Redis is unavailable)',
    'limit',
    'outcome',
  ),
}));
