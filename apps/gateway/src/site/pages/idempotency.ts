import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '#kernel';

/** Attempts, a second apart, to get the response of the first submission of a form. */
const maxAttempts = 25;

/**
 * Returns the idempotency key of a submitted form, so that submitting it twice has one effect. A
 * form that was changed after the back button has another key.
 *
 * @param formKey random value in each form: a hidden field, or its CSRF token
 */
export function idempotencyOfForm(formKey: string, content: unknown): { key: string; fingerprint: string } {
  const fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return { key: `form ${formKey} ${fingerprint.slice(0, 16)}`, fingerprint };
}

/**
 * Returns the reply, or undefined if the resource is missing. A form that deletes a resource and is
 * submitted twice then has the same result both times.
 */
export async function undefinedIfMissing<R>(reply: Promise<R>): Promise<R | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (!(error instanceof DomainError) || error.status !== 404) throw error;
    return undefined;
  }
}

/**
 * Sends a request, at most `maxAttempts` times, until the first submission of the same form has its
 * response.
 */
export async function awaitFirst<R>(send: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const isInProgress = error instanceof DomainError && error.kind.code === 'idempotency-key.in-progress';
      if (!isInProgress || attempt === maxAttempts) throw error;
      await sleep(1_000);
    }
  }
}
