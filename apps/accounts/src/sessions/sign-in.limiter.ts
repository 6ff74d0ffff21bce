import { createHash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { QueueConnection } from '#request-queue';
import { AccountsEnv } from '../env.js';
import { signInAttemptMetrics } from './sign-in-attempt.metrics.js';
import { attemptsUncounted, tooManyAttempts } from './session.errors.js';

/** Length of the window, which begins with its first attempt and is not extended by later ones. */
const windowSeconds = 900;
const failuresPerLogin = 20;
const failuresPerAddress = 100;
const signUpsPerAddress = 50;
const providerSignInsPerAddress = 100;

/**
 * Returns the form in which a login is looked up and counted, so that a variation of case or width
 * does not add attempts.
 */
export const normalizeLogin = (login: string): string => login.normalize('NFKC').trim().toLowerCase();

/**
 * Rate limiter of sign-ins and sign-ups. It counts attempts in Redis, over all replicas, before
 * anything is checked, so that concurrent guesses get no more checks than sequential ones. A
 * successful attempt is subtracted again. Attempts over a limit are rejected, even with the right
 * password.
 *
 * A login is counted as it was typed (a user name or an e-mail address, by its SHA-256), never by
 * the user that it finds, so that no limit reveals who exists or which address belongs to which
 * name. An account with its two logins can so be guessed at 40 times in a quarter of an hour, 3,840
 * times a day, by all clients together.
 *
 * Anyone who knows a user's name can block sign-ins by that name. This is the price of a limit that
 * also holds against many addresses. The block ends a quarter of an hour after its first attempt.
 * Sessions, tokens and providers still work, and the e-mail address, which others do not know, has
 * its own count. A password that a signed-in user types is therefore counted under the e-mail
 * address.
 *
 * If attempts cannot be counted, nothing is checked: 503. Requests pass through the same Redis, so
 * this does not reduce availability.
 */
@Injectable()
export class SignInRateLimiter implements OnApplicationShutdown {
  /** Timeout of Redis; the connection adds 250 ms. Tests set a longer one. */
  redisTimeoutMs = 1_000;
  private readonly connection: QueueConnection;
  private readonly failuresOfLogin: RateLimiterRedis;
  private readonly failuresOfAddress: RateLimiterRedis;
  private readonly signUps: RateLimiterRedis;
  private readonly providerSignIns: RateLimiterRedis;
  private readonly metrics = signInAttemptMetrics();

  constructor({ REDIS_REQUESTS_URL }: AccountsEnv) {
    this.connection = new QueueConnection({ redisUrl: REDIS_REQUESTS_URL, name: 'attempts' });
    this.failuresOfLogin = this.createLimiter('attempts:login', failuresPerLogin);
    this.failuresOfAddress = this.createLimiter('attempts:address', failuresPerAddress);
    this.signUps = this.createLimiter('attempts:sign-up', signUpsPerAddress);
    this.providerSignIns = this.createLimiter('attempts:provider', providerSignInsPerAddress);
  }

  /**
   * Runs the check of a password as one attempt of a login from an address.
   *
   * @param login normalized
   * @param verify returns a value for the right password, undefined for a wrong one
   * @throws DomainError `sign-in.too-many` without running the check, `service.unavailable` when
   *   Redis is unavailable
   */
  async check<Verified>(
    login: string,
    address: string,
    verify: () => Promise<Verified | undefined>,
  ): Promise<Verified | undefined> {
    const name = createHash('sha256').update(login).digest('hex');
    // Counted first: an address over its limit consumes no attempts of the login
    await this.count(this.failuresOfAddress, address);
    await this.count(this.failuresOfLogin, name);
    const verified = await verify();
    if (verified !== undefined)
      await Promise.all([this.reward(this.failuresOfAddress, address), this.reward(this.failuresOfLogin, name)]);
    return verified;
  }

  /**
   * Counts an attempt to sign up, successful or not: each may create a user or reveal an existing
   * one. Throws as `check` does.
   */
  signUp(address: string): Promise<void> {
    return this.count(this.signUps, address);
  }

  /**
   * Counts a change of the e-mail address together with the sign-ups, because it also reveals if a
   * user has the address. Counts with the right and the wrong password. Throws as `check` does.
   */
  changeEmail(address: string): Promise<void> {
    return this.count(this.signUps, address);
  }

  /** Counts a redirect to a provider, because each stores a row. Throws as `check` does. */
  startProviderSignIn(address: string): Promise<void> {
    return this.count(this.providerSignIns, address);
  }

  onApplicationShutdown(): void {
    this.connection.close();
  }

  private async count(limiter: RateLimiterRedis, key: string): Promise<void> {
    const limit = limiter.keyPrefix;
    try {
      await this.connection.whenReady(this.redisTimeoutMs);
      await this.connection.run(() => limiter.consume(key), this.redisTimeoutMs);
      this.metrics.attempts.inc({ limit, outcome: 'counted' });
    } catch (reason) {
      this.metrics.attempts.inc({ limit, outcome: reason instanceof RateLimiterRes ? 'rejected' : 'uncounted' });
      throw reason instanceof RateLimiterRes ? tooManyAttempts(reason.msBeforeNext) : attemptsUncounted();
    }
  }

  private async reward(limiter: RateLimiterRedis, key: string): Promise<void> {
    // A failure is ignored: the password was right, and the count is only too high by one
    await this.connection.run(() => limiter.reward(key), this.redisTimeoutMs).catch(() => undefined);
  }

  private createLimiter(keyPrefix: string, points: number): RateLimiterRedis {
    return new RateLimiterRedis({ storeClient: this.connection.redis, keyPrefix, points, duration: windowSeconds });
  }
}
