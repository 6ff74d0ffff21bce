import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Language, languages } from '#contracts';
import { GatewayEnv } from '../../env.js';

const sessionIdPattern = /^[\w-]{43}$/;
const draftIdPattern = /^\d{1,3}\.[\w-]{43}$/;
const languageSeconds = 365 * 86_400;

/** Lifetime of the session cookie. The accounts service may end a session sooner. */
const sessionSeconds = 14 * 86_400;

/**
 * `cookies` is null where no hook has run: for a request target without a route, such as `GET *`.
 */
const sentCookies = ({ cookies }: { readonly cookies: FastifyRequest['cookies'] | null }) => cookies ?? {};

/**
 * Session, language and draft cookies of the pages.
 *
 * The session cookie holds a session token after sign-in. Before, it holds a random anonymous
 * session id, to which CSRF tokens and sign-ins through providers are bound. The draft cookie holds
 * the id of a form's draft. Over HTTPS the names of these two cookies have the prefix `__Host-`:
 * browsers then accept them from this host only, over HTTPS only. Over HTTP, which is for
 * development, browsers would reject the prefix.
 */
@Injectable()
export class Cookies {
  private readonly sessionName: string;
  private readonly draftName: string;
  private readonly attributes;

  constructor({ BASE_URL }: GatewayEnv) {
    const secure = BASE_URL.startsWith('https:');
    const prefix = secure ? '__Host-' : '';
    this.sessionName = `${prefix}session`;
    this.draftName = `${prefix}draft`;
    this.attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  }

  /** Returns the value of the session cookie; undefined if it is missing or malformed. */
  sessionIdOf(request: FastifyRequest): string | undefined {
    const value = sentCookies(request)[this.sessionName];
    return value !== undefined && sessionIdPattern.test(value) ? value : undefined;
  }

  /** Sets an anonymous session id, which lasts until the browser is closed. */
  setAnonymousSessionCookie(reply: FastifyReply, id: string): void {
    void reply.setCookie(this.sessionName, id, this.attributes);
  }

  setSessionCookie(reply: FastifyReply, session: string): void {
    void reply.setCookie(this.sessionName, session, { ...this.attributes, maxAge: sessionSeconds });
  }

  clearSessionCookie(reply: FastifyReply): void {
    void reply.clearCookie(this.sessionName, this.attributes);
  }

  /** Returns the id of the draft; undefined if the cookie is missing or malformed. */
  draftIdOf(request: FastifyRequest): string | undefined {
    const value = sentCookies(request)[this.draftName];
    return value !== undefined && draftIdPattern.test(value) ? value : undefined;
  }

  setDraftCookie(reply: FastifyReply, id: string, maxAge: number): void {
    void reply.setCookie(this.draftName, id, { ...this.attributes, maxAge });
  }

  clearDraftCookie(reply: FastifyReply): void {
    void reply.clearCookie(this.draftName, this.attributes);
  }

  languageOf(request: FastifyRequest): Language | undefined {
    const chosen = sentCookies(request).language;
    return languages.find((language) => language === chosen);
  }

  setLanguageCookie(reply: FastifyReply, language: Language): void {
    void reply.setCookie('language', language, { ...this.attributes, maxAge: languageSeconds });
  }
}
