import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Language, languages } from '#contracts';
import { GatewayEnv } from '../../env.js';

const visitForm = /^[\w-]{43}$/;
const languageSeconds = 365 * 86_400;

/** How long a browser keeps its session when nobody signs out. Accounts may end it sooner, whatever the browser keeps. */
const sessionSeconds = 14 * 86_400;

/** Nothing has read them where the router knows no path, as of `GET *`: no hook ran. */
const sentCookies = ({ cookies }: { readonly cookies: FastifyRequest['cookies'] | null }) => cookies ?? {};

/**
 * The cookies of the pages. Under HTTPS the visit's has the prefix `__Host-`: the browser then takes it from this host
 * only, over HTTPS only. Over HTTP, which is for development, browsers would refuse the prefix.
 */
@Injectable()
export class Cookies {
  private readonly visit: string;
  private readonly attributes;

  constructor({ BASE_URL }: GatewayEnv) {
    const secure = BASE_URL.startsWith('https:');
    this.visit = secure ? '__Host-visit' : 'visit';
    this.attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  }

  /** What the browser keeps of its visit; undefined when it has none or sends something else. */
  visitOf(request: FastifyRequest): string | undefined {
    const value = sentCookies(request)[this.visit];
    return value !== undefined && visitForm.test(value) ? value : undefined;
  }

  /** Of somebody who has not signed in: until the browser is closed. */
  keepVisit(reply: FastifyReply, value: string): void {
    void reply.setCookie(this.visit, value, this.attributes);
  }

  keepSession(reply: FastifyReply, session: string): void {
    void reply.setCookie(this.visit, session, { ...this.attributes, maxAge: sessionSeconds });
  }

  dropVisit(reply: FastifyReply): void {
    void reply.clearCookie(this.visit, this.attributes);
  }

  languageOf(request: FastifyRequest): Language | undefined {
    const chosen = sentCookies(request).language;
    return languages.find((language) => language === chosen);
  }

  keepLanguage(reply: FastifyReply, language: Language): void {
    void reply.setCookie('language', language, { ...this.attributes, maxAge: languageSeconds });
  }
}
