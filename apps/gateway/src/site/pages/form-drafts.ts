import { createHash, randomBytes } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Log } from '#observability';
import { QueueConnection } from '#request-queue';
import { formOf } from '../../edge/bodies/form-body.js';
import { GatewayEnv } from '../../env.js';
import { Cookies } from './cookies.js';
import { formUserOf, type FormValues } from './page-context.js';

interface Draft {
  /** Random value, also in the cookie of the browser. */
  readonly key: string;
  /** Hash of the path of the form with its query, which may be a secret. */
  readonly pathHash: string;
  /** Id of the user for whom the form was shown. */
  readonly userId: string | undefined;
  readonly values: FormValues;
}

/** Limit of a draft as JSON: a text of 10,000 characters in UTF-8. */
const maxDraftBytes = 40_000;

/** A further draft replaces the oldest one, so that drafts use at most 20 MB of Redis. */
const maxDrafts = 500;

const draftSeconds = 3_600;

/**
 * Drafts: texts of forms that were submitted after the session or the form had expired, until the
 * form is shown again. They are stored in Redis, bound to the browser by a random key in a cookie,
 * and to the user for whom the form was shown.
 */
@Injectable()
export class FormDrafts implements OnApplicationShutdown {
  private readonly connection: QueueConnection;

  constructor(
    { REDIS_REQUESTS_URL: redisUrl }: GatewayEnv,
    private readonly cookies: Cookies,
    private readonly log: Log,
  ) {
    this.connection = new QueueConnection({ redisUrl, name: 'form-drafts' });
  }

  /**
   * Stores fields of a submitted form. Returns false if they are too large, or if Redis is
   * unavailable.
   *
   * @param form path of the page that shows the form again, and the names of the fields; one that
   *   ends with a hyphen is a prefix
   */
  async save(
    request: FastifyRequest,
    reply: FastifyReply,
    { path, fields }: { readonly path: string; readonly fields: readonly string[] },
  ): Promise<boolean> {
    const form = formOf(request);
    const draft: Draft = {
      key: randomBytes(32).toString('base64url'),
      pathHash: hashOf(path),
      userId: formUserOf(form),
      values: fieldsOf(form, fields),
    };
    const json = JSON.stringify(draft);
    if (Buffer.byteLength(json) > maxDraftBytes) return false;
    try {
      const slot = await this.connection.run(async (redis) => {
        const number = (await redis.incr('form-draft:last')) % maxDrafts;
        await redis.set(`form-draft:${number}`, json, 'EX', draftSeconds);
        return number;
      });
      this.cookies.setDraftCookie(reply, `${slot}.${draft.key}`, draftSeconds);
      return true;
    } catch (error) {
      this.log.warn({ err: error }, 'Redis is unavailable: the text of an expired form is lost');
      return false;
    }
  }

  /** Returns the draft of the requested form, unless another user is signed in, and deletes it. */
  async take(
    request: FastifyRequest,
    reply: FastifyReply,
    viewerId: number | undefined,
  ): Promise<FormValues | undefined> {
    const [slot, key] = this.cookies.draftIdOf(request)?.split('.') ?? [];
    if (slot === undefined) return undefined;
    try {
      const draft = await this.connection.run(async (redis) => {
        const json = await redis.get(`form-draft:${slot}`);
        const found = json === null ? undefined : (JSON.parse(json) as Draft);
        if (found?.key !== key || found?.pathHash !== hashOf(request.url)) return undefined;
        if (found.userId !== undefined && found.userId !== String(viewerId)) return undefined;
        await redis.del(`form-draft:${slot}`);
        return found;
      });
      if (draft) this.cookies.clearDraftCookie(reply);
      return draft?.values;
    } catch (error) {
      this.log.warn({ err: error }, 'Redis is unavailable: the form is shown without its draft');
      return undefined;
    }
  }

  onApplicationShutdown(): void {
    this.connection.close();
  }
}

const hashOf = (path: string): string => createHash('sha256').update(path).digest('base64url');

const fieldsOf = (form: FormValues, names: readonly string[]): FormValues =>
  Object.fromEntries(
    Object.entries(form).filter(([field]) =>
      names.some((name) => (name.endsWith('-') ? field.startsWith(name) : field === name)),
    ),
  );
