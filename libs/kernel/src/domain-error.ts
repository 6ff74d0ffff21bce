/** Constant part of an error: stable code, HTTP status and a short title for people. */
export interface ProblemKind {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

/**
 * Validation error of one field of a request. `path` is written with dots:
 * `body.products.0.itemId`.
 */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** RFC 9457 problem document without `type` and `requestId`, which the gateway adds. */
export interface ProblemBody {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/**
 * Expected error: has a kind from the closed list in `contracts` and a sentence for the caller.
 * An error that no filter recognizes is a defect; its response is 500 without its message.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly kind: ProblemKind,
    readonly detail: string,
    readonly errors?: readonly FieldError[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`${kind.code}: ${detail}`);
  }

  get status(): number {
    return this.kind.status;
  }

  body(): ProblemBody {
    const { code, status, title } = this.kind;
    return { code, status, title, detail: this.detail, ...(this.errors && { errors: this.errors }) };
  }
}
