import type { FastifyRequest } from 'fastify';
import type { ProblemBody } from '#kernel';

/** Endpoints of OAuth clients, whose libraries do not support problem documents. */
const endpoints = /^\/oauth\/(?:token|revoke|introspect)\/?(?:\?|$)/;

export const isOfOAuthClient = ({ url }: FastifyRequest): boolean => endpoints.test(url);

/**
 * Codes of rejected bodies. Their details name JSON and are replaced, because these endpoints
 * require a form.
 */
const bodyErrors: ReadonlySet<string> = new Set(['request.unsupported-media-type', 'request.body-not-json']);

const errorOf = (status: number): string => {
  if (status < 500) return 'invalid_request';
  return status === 500 ? 'server_error' : 'temporarily_unavailable';
};

// RFC 6749, section 5.2: ASCII without quotes and backslashes
const description = (detail: string): string => detail.replaceAll(/[^ !#-[\]-~]/g, "'");

/** Converts a problem into an error response of RFC 6749, section 5.2. */
export function oauthError({ code, status, detail }: ProblemBody): { status: number; body: object } {
  const asForm = 'Send the parameters as a body of type application/x-www-form-urlencoded.';
  if (bodyErrors.has(code)) return { status: 400, body: { error: 'invalid_request', error_description: asForm } };
  return { status, body: { error: errorOf(status), error_description: description(detail) } };
}
