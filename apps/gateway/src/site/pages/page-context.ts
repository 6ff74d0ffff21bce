import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#kernel';
import { type Language, problems, type SessionUser, type Visitor } from '#contracts';
import { addressOf } from '../../edge/connections/address.js';
import type { Cookies } from './cookies.js';

/** Values of the fields of a form by name. */
export type FormValues = Readonly<Record<string, string>>;

/** The signed-in user of a page, with the session token from the cookie. */
export interface Member extends SessionUser {
  readonly session: string;
}

const tokenBytes = 32;

const csrfTokenOf = (sessionId: string): Buffer =>
  createHmac('sha256', sessionId).update('storefront form v1').digest();

const xor = (bytes: Buffer, mask: Buffer): Buffer => Buffer.from(bytes.map((byte, at) => byte ^ mask[at]!));

/**
 * Masks a CSRF token for a page: a random mask, and the token XORed with the mask. Pages are
 * compressed and repeat input of the request, so the length of a response would reveal a constant
 * token byte by byte (BREACH).
 */
function mask(token: Buffer): string {
  const bytes = randomBytes(tokenBytes);
  return Buffer.concat([bytes, xor(token, bytes)]).toString('base64url');
}

/** Removes the mask from a token; undefined if the text is malformed. */
function unmask(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 2 * tokenBytes || bytes.toString('base64url') !== text) return undefined;
  return xor(bytes.subarray(tokenBytes), bytes.subarray(0, tokenBytes));
}

/**
 * Context of one page request: language, signed-in user and session cookie.
 *
 * The cookie holds the session token of a signed-in user, or a random anonymous session id. The
 * anonymous id binds forms and provider sign-ins to the browser, and is replaced at sign-in. The
 * server stores only its hash, and only while a provider sign-in is in progress.
 */
export class PageContext {
  private sessionId: string | undefined;
  /** Number of unread notifications of the signed-in user, for the header of the page. */
  unreads = 0;
  /** Values of the form of this page that were sent after the form or the session had expired. */
  draft: FormValues | undefined;
  /**
   * Counts a valid submission of the form of this page.
   *
   * @throws DomainError `rate-limit.exceeded`
   */
  countSubmission = (): Promise<unknown> => Promise.resolve();

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly cookies: Cookies,
    readonly language: Language,
    /** Null without a sign-in. */
    readonly user: Member | null,
  ) {
    this.sessionId = cookies.sessionIdOf(request);
  }

  /** Whether the browser has a draft of a form on another page. */
  get hasDraft(): boolean {
    return this.draft === undefined && this.cookies.draftIdOf(this.request) !== undefined;
  }

  /**
   * Address, user agent and language of the client, for rate limits, records of sign-ins, and mail.
   */
  get visitor(): Visitor {
    const { request, language } = this;
    const agent = request.headers['user-agent'];
    return { address: addressOf(request), userAgent: agent === undefined ? null : agent.slice(0, 512), language };
  }

  /**
   * Path to return to: the path of this page if it can be opened with GET, else the account or the
   * front page. Without `done`, so that a confirmation is shown once.
   */
  get path(): string {
    const { method, url, routeOptions, server } = this.request;
    const canBeOpened = method !== 'POST' || server.hasRoute({ method: 'GET', url: routeOptions.url ?? '' });
    if (canBeOpened) return withoutDone(url);
    return this.user ? '/account' : '/';
  }

  /**
   * Returns the value of the session cookie. Sets a new anonymous session id if there is no cookie.
   */
  ensureSessionId(): string {
    if (this.sessionId === undefined) {
      this.sessionId = randomBytes(32).toString('base64url');
      this.cookies.setAnonymousSessionCookie(this.reply, this.sessionId);
    }
    return this.sessionId;
  }

  /**
   * Returns a CSRF token for the field `csrf` of a form. Each call returns another text; all are
   * valid for this session. The id of the signed-in user follows, unsigned, for `formUserOf`.
   */
  csrfToken(): string {
    const token = mask(csrfTokenOf(this.ensureSessionId()));
    return this.user ? `${token}.${this.user.id}` : token;
  }

  /** Returns whether a form has a CSRF token of this session. */
  hasCsrfToken(form: Readonly<Record<string, string>>): boolean {
    const sent = unmask(form.csrf?.split('.')[0] ?? '');
    return this.sessionId !== undefined && sent !== undefined && timingSafeEqual(sent, csrfTokenOf(this.sessionId));
  }

  /** @throws DomainError `form.not-ours` */
  checkCsrfToken(form: Readonly<Record<string, string>>): void {
    if (!this.hasCsrfToken(form))
      throw new DomainError(
        problems['form.not-ours'],
        'This form has expired. Reload its page and submit the form again.',
      );
  }

  /** The signed-in user of a page with the audience `members`. */
  get member(): Member {
    if (!this.user) throw new Error('The audience of the page is not `members`');
    return this.user;
  }

  /** Replaces the session of the browser. */
  setSession(session: string): void {
    this.sessionId = session;
    this.cookies.setSessionCookie(this.reply, session);
  }

  /** Deletes the session cookie of the browser. The caller closes the session. */
  clearSession(): void {
    this.sessionId = undefined;
    this.cookies.clearSessionCookie(this.reply);
  }
}

/** Returns the id of the user for whom a form was shown; undefined for anonymous users. */
export const formUserOf = (form: FormValues): string | undefined => form.csrf?.split('.')[1];

function withoutDone(url: string): string {
  const [path, query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  if (!parameters.has('done')) return url;
  parameters.delete('done');
  return parameters.size === 0 ? path! : `${path}?${parameters.toString()}`;
}

const contexts = new WeakMap<FastifyRequest, PageContext>();

export function setPageContext(request: FastifyRequest, context: PageContext): PageContext {
  contexts.set(request, context);
  return context;
}

/** Returns the context of a request; undefined before the page guard has run. */
export const findPageContext = (request: FastifyRequest): PageContext | undefined => contexts.get(request);

/** Returns the context of a page request. */
export function pageContextOf(request: FastifyRequest): PageContext {
  const context = findPageContext(request);
  if (!context) throw new Error('The request has no page context');
  return context;
}
