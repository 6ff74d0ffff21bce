import { RenameIdempotencyConstraint } from '#idempotency';

/** Renames the constraint of the stored response of an idempotency key. */
export class RenameResponseConstraint extends RenameIdempotencyConstraint {
  readonly name = 'RenameResponseConstraint1795773780000';
}
