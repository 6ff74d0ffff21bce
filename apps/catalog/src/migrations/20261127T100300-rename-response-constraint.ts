import { RenameIdempotencyConstraint } from '#idempotency';

/** Renames a constraint of stored responses. */
export class RenameResponseConstraint extends RenameIdempotencyConstraint {
  readonly name = 'RenameResponseConstraint1795773780000';
}
