import { createHash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { QueueConnection } from '#request-queue';
import { AccountsEnv } from '../env.js';
import { signInAttemptMetrics } from './sign-in-attempt.metrics.js';
import { attemptsUncounted, tooManyAttempts } from './session.errors.js';

/** Length of a window, which begins with its first attempt and is not extended by later ones. */
const windowSeconds = 900;
const failuresPerLogin = 20;
const failuresPerAddress = 100;
const signUpsPerAddress = 50;
const providerSignInsPerAddress = 100;
const mailsPerRecipient = 5;
const mailsPerAddress = 50;

/**
 * Returns the form in which a login is looked up and counted, so that a variation of case or width
 * does not add attempts.
 */
export const normalizeLogin = (login: string): string => login.normalize('NFKC').trim().toLowerCase();

const hashLogin = (login: string): string => createHash('sha256').update(login).digest('hex');

/**
 * Rate limiter of password checks, sign-ups, changes of e-mail addresses, redirects to providers
 * and requests of mail. Counts attempts in Redis, over all replicas, before the attempt is
 * processed, so that concurrent guesses get no more checks than sequential ones. A check of the
 * right password is subtracted again. Attempts over a limit are rejected, even with the right
 * password.
 *
 * A login is counted as it was typed (a user name or an e-mail address, normalized, by its
 * SHA-256), never by the user that it finds, so that no limit reveals who exists or which e-mail
 * address belongs to which name. An account has two logins, so all clients together can try 40
 * passwords of an account in a quarter of an hour, 3,840 a day.
 *
 * Anyone who knows a user's name can block sign-ins by that name. This is the price of a limit that
 * is also effective against attempts from many IP addresses. The block ends a quarter of an hour
 * after its first attempt. Sessions, tokens and providers still work, and the e-mail address, which
 * others do not know, has a separate count. The password of a signed-in user is therefore counted
 * under the e-mail address.
 *
 * If Redis cannot count an attempt, the attempt is rejected with 503. This does not reduce
 * availability, because requests pass through the same Redis.
 */
@Injectable()
export class SignInRateLimiter implements OnApplicationShutdown {
  /**
   * Timeout of waiting for the connection, and of a command, to which `QueueConnection` adds 250
   * ms. Tests set a longer one.
   */
  redisTimeoutMs = 1_000;
  private readonly connection: QueueConnection;
  private readonly failuresOfLogin: RateLimiterRedis;
  private readonly failuresOfAddress: RateLimiterRedis;
  private readonly signUps: RateLimiterRedis;
  private readonly providerSignIns: RateLimiterRedis;
  private readonly mailsOfRecipient: RateLimiterRedis;
  private readonly mailsOfAddress: RateLimiterRedis;
  private readonly metrics = signInAttemptMetrics();

  constructor({ REDIS_REQUESTS_URL }: AccountsEnv) {
    this.connection = new QueueConnection({ redisUrl: REDIS_REQUESTS_URL, name: 'attempts' });
    this.failuresOfLogin = this.createLimiter('attempts:login', failuresPerLogin);
    this.failuresOfAddress = this.createLimiter('attempts:address', failuresPerAddress);
    this.signUps = this.createLimiter('attempts:sign-up', signUpsPerAddress);
    this.providerSignIns = this.createLimiter('attempts:provider', providerSignInsPerAddress);
    this.mailsOfRecipient = this.createLimiter('attempts:mail', mailsPerRecipient);
    this.mailsOfAddress = this.createLimiter('attempts:mail-address', mailsPerAddress);
  }

  /**
   * Runs the check of a password as one attempt of a login from an IP address.
   *
   * @param login normalized
   * @param address IP address
   * @param verify returns a value for the right password, undefined for a wrong one
   * @returns the result of `verify`
   * @throws DomainError without running the check: `sign-in.too-many`, or `service.unavailable`
   *   when Redis is unavailable
   */
  async check<Verified>(
    login: string,
    address: string,
    verify: () => Promise<Verified | undefined>,
  ): Promise<Verified | undefined> {
    const name = hashLogin(login);
    // The IP address is counted first: over its limit, it consumes no attempts of the login
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
   * user has the e-mail address. Throws as `check` does.
   *
   * @param address IP address
   */
  changeEmail(address: string): Promise<void> {
    return this.count(this.signUps, address);
  }

  /** Counts a redirect to a provider, because each stores a row. Throws as `check` does. */
  startProviderSignIn(address: string): Promise<void> {
    return this.count(this.providerSignIns, address);
  }

  /**
   * Counts a request of a mail, for its recipient (an e-mail address as typed, whether or not a
   * user has it) and for the IP address. Throws as `check` does.
   */
  async requestMail(recipient: string, address: string): Promise<void> {
    await this.count(this.mailsOfAddress, address);
    await this.count(this.mailsOfRecipient, hashLogin(normalizeLogin(recipient)));
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
    // An error is ignored: the password was right, and the count is only too high by 1
    await this.connection.run(() => limiter.reward(key), this.redisTimeoutMs).catch(() => undefined);
  }

  private createLimiter(keyPrefix: string, points: number): RateLimiterRedis {
    return new RateLimiterRedis({ storeClient: this.connection.redis, keyPrefix, points, duration: windowSeconds });
  }
}
