import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#kernel';
import { type Language, problems, type SessionUser, type Visitor } from '#contracts';
import { addressOf } from '../../edge/connections/address.js';
import type { Cookies } from './cookies.js';

/** A user who is looking at a page, with the value of the cookie that proves it. */
export interface Member extends SessionUser {
  readonly session: string;
}

const tokenBytes = 32;

const csrfToken = (id: string): Buffer => createHmac('sha256', id).update('storefront form v1').digest();

const xor = (bytes: Buffer, mask: Buffer): Buffer => Buffer.from(bytes.map((byte, at) => byte ^ mask[at]!));

/**
 * A CSRF token in the form in which a page shows it: a random mask, and the token XORed with it. Pages are compressed and
 * repeat what a request has sent, so the length of a response would reveal a constant token byte by byte (BREACH).
 */
function masked(token: Buffer): string {
  const mask = randomBytes(tokenBytes);
  return Buffer.concat([mask, xor(token, mask)]).toString('base64url');
}

/** The token below the mask; undefined where the text has another length. */
function unmasked(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 2 * tokenBytes || bytes.toString('base64url') !== text) return undefined;
  return xor(bytes.subarray(tokenBytes), bytes.subarray(0, tokenBytes));
}

/**
 * One request for a page: in which language, by whom. Its cookie holds the session of a member, or a random value that
 * binds the forms of somebody who has not signed in; that one is known nowhere else, and is replaced at sign-in.
 */
export class PageContext {
  private id: string | undefined;

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly cookies: Cookies,
    readonly language: Language,
    /** Null for somebody who has not signed in. */
    readonly user: Member | null,
  ) {
    this.id = cookies.visitOf(request);
  }

  /** Where the person comes from. */
  get visitor(): Visitor {
    const agent = this.request.headers['user-agent'];
    return { address: addressOf(this.request), userAgent: agent === undefined ? null : agent.slice(0, 512) };
  }

  /** An address below the base address for a way back: of this page, where it can be opened again. */
  get path(): string {
    const { method, url, routeOptions, server } = this.request;
    const isOpened = method !== 'POST' || server.hasRoute({ method: 'GET', url: routeOptions.url ?? '' });
    if (isOpened) return url;
    return this.user ? '/account' : '/';
  }

  /** The value that ties what a browser begins to what it ends: that of its cookie, which is set when it has none. */
  bind(): string {
    if (this.id === undefined) {
      this.id = randomBytes(32).toString('base64url');
      this.cookies.keepVisit(this.reply, this.id);
    }
    return this.id;
  }

  /** What every form must send as `csrf`: another text for each form that is rendered, all of the same worth. */
  csrf(): string {
    return masked(csrfToken(this.bind()));
  }

  /** @throws DomainError `form.not-ours` */
  checkForm(form: Readonly<Record<string, string>>): void {
    const given = unmasked(form.csrf ?? '');
    if (this.id === undefined || !given || !timingSafeEqual(given, csrfToken(this.id)))
      throw new DomainError(
        problems['form.not-ours'],
        'The form has expired. Open its page again and send it from there.',
      );
  }

  /** The user of a page for members. */
  get member(): Member {
    if (!this.user) throw new Error('the page is not for members only');
    return this.user;
  }

  /** From now on the browser is the one of this session, whatever it was before. */
  begin(session: string): void {
    this.id = session;
    this.cookies.keepSession(this.reply, session);
  }

  /** The browser is nobody's from now on. */
  end(): void {
    this.id = undefined;
    this.cookies.dropVisit(this.reply);
  }
}

const visits = new WeakMap<FastifyRequest, PageContext>();

export function keepVisit(request: FastifyRequest, visit: PageContext): PageContext {
  visits.set(request, visit);
  return visit;
}

/** The visit of a request, if it was opened. */
export const openedVisit = (request: FastifyRequest): PageContext | undefined => visits.get(request);

/** The visit of a page's request. */
export function visitOf(request: FastifyRequest): PageContext {
  const visit = openedVisit(request);
  if (!visit) throw new Error('the request is not for a page');
  return visit;
}
