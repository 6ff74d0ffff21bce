import { type Problem } from '#contracts';
import { DomainError } from '#kernel';

interface ValidationError {
  readonly kind: Problem;
  readonly path: string;
  readonly message: string;
}

/** Collects the validation errors of a request, to report all of them at once. */
export class ValidationErrors {
  private readonly all: ValidationError[] = [];

  add(kind: Problem, path: string, message: string): void {
    this.all.push({ kind, path, message });
  }

  /** @throws DomainError with the kind of the first error and a path for each */
  throwIfAny(): void {
    const [first] = this.all;
    if (!first) return;
    const errors = this.all.map(({ path, message }) => ({ path, message }));
    throw new DomainError(first.kind, `${first.path}: ${first.message}`, errors);
  }
}
