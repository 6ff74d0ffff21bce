import { createHash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { QueueConnection } from '#request-queue';
import { AccountsEnv } from '../env.js';
import { signInAttemptMetrics } from './sign-in-attempt.metrics.js';
import { attemptsNotCounted, tooManyAttempts } from './session.errors.js';

/** The window begins with the first attempt in it, and no later attempt makes it longer. */
const windowSeconds = 900;
const failuresPerLogin = 20;
const failuresPerAddress = 100;
const signUpsPerAddress = 50;
const departuresPerAddress = 100;

/**
 * A login in the one form in which it is looked up and counted: whoever varies its case or width asks for the same user,
 * and has no more attempts.
 */
export const foldedLogin = (login: string): string => login.normalize('NFKC').trim().toLowerCase();

/**
 * Counts attempts, in Redis and so over all replicas, before anything is checked: guesses at once get no more checks than
 * guesses one by one. What succeeds is given back; what goes over a limit is refused, also when it would be right.
 *
 * A login is counted as it was typed (a user name or an e-mail address, by its SHA-256), never by the user whom it finds:
 * nobody learns from a limit who exists, or which address belongs to which name. An account with its two logins can so be
 * guessed at 40 times in a quarter of an hour, 3,840 times a day, by all the world together.
 *
 * Whoever knows a user's name can keep it from signing in by it. That is the price of a limit that also holds against
 * many addresses, and it is a small one: it passes a quarter of an hour after it began, sessions, tokens and providers go
 * on, and the e-mail address, which strangers do not know, is counted on its own. Users who are signed in and type their
 * password are therefore counted under their e-mail address too.
 *
 * Without a count nothing is checked: 503. The requests themselves come through the same Redis, so nothing is lost by it.
 */
@Injectable()
export class SignInRateLimiter implements OnApplicationShutdown {
  /** How long Redis may take; the connection adds 250 ms before it gives up. Tests give more. */
  answerWithinMs = 1_000;
  private readonly connection: QueueConnection;
  private readonly ofLogin: RateLimiterRedis;
  private readonly ofAddress: RateLimiterRedis;
  private readonly signUps: RateLimiterRedis;
  private readonly departures: RateLimiterRedis;
  private readonly metrics = signInAttemptMetrics();

  constructor({ REDIS_REQUESTS_URL }: AccountsEnv) {
    this.connection = new QueueConnection({ redisUrl: REDIS_REQUESTS_URL, name: 'attempts' });
    this.ofLogin = this.limiter('attempts:login', failuresPerLogin);
    this.ofAddress = this.limiter('attempts:address', failuresPerAddress);
    this.signUps = this.limiter('attempts:sign-up', signUpsPerAddress);
    this.departures = this.limiter('attempts:departure', departuresPerAddress);
  }

  /**
   * Runs the check of a password as one attempt of a login from an address.
   *
   * @param login folded
   * @param prove what the right password gives, or undefined for a wrong one
   * @throws DomainError `sign-in.too-many` without running the check, `service.unavailable` when Redis is away
   */
  async check<Proof>(
    login: string,
    address: string,
    prove: () => Promise<Proof | undefined>,
  ): Promise<Proof | undefined> {
    const name = createHash('sha256').update(login).digest('hex');
    // An address that has no attempts left takes none from the login
    await this.count(this.ofAddress, address);
    await this.count(this.ofLogin, name);
    const proof = await prove();
    if (proof !== undefined)
      await Promise.all([this.giveBack(this.ofAddress, address), this.giveBack(this.ofLogin, name)]);
    return proof;
  }

  /** Counts an attempt to sign up: every one, as each may make a user or tell that there is one. Throws as `check` does. */
  signUp(address: string): Promise<void> {
    return this.count(this.signUps, address);
  }

  /**
   * Counts another e-mail address for somebody who is there already, right password or not: it too tells whether there is
   * a user with it, and so it is counted with the sign-ups. Throws as `check` does.
   */
  changeEmail(address: string): Promise<void> {
    return this.count(this.signUps, address);
  }

  /** Counts those who set out for a provider: each leaves a row, whoever it is. Throws as `check` does. */
  setOut(address: string): Promise<void> {
    return this.count(this.departures, address);
  }

  onApplicationShutdown(): void {
    this.connection.close();
  }

  private async count(limiter: RateLimiterRedis, key: string): Promise<void> {
    const limit = limiter.keyPrefix;
    try {
      await this.connection.whenReady(this.answerWithinMs);
      await this.connection.run(() => limiter.consume(key), this.answerWithinMs);
      this.metrics.attempts.inc({ limit, outcome: 'counted' });
    } catch (reason) {
      this.metrics.attempts.inc({ limit, outcome: reason instanceof RateLimiterRes ? 'refused' : 'uncounted' });
      throw reason instanceof RateLimiterRes ? tooManyAttempts(reason.msBeforeNext) : attemptsNotCounted();
    }
  }

  private async giveBack(limiter: RateLimiterRedis, key: string): Promise<void> {
    // A right password is right, and one attempt less does no harm
    await this.connection.run(() => limiter.reward(key), this.answerWithinMs).catch(() => undefined);
  }

  private limiter(keyPrefix: string, points: number): RateLimiterRedis {
    return new RateLimiterRedis({ storeClient: this.connection.redis, keyPrefix, points, duration: windowSeconds });
  }
}
