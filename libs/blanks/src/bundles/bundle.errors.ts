import { problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';

/** @param errors mistakes of a bundle, each with its file and path */
export const invalidBundle = (errors: readonly FieldError[]): DomainError =>
  new DomainError(
    problems['catalog.invalid'],
    `The bundle has ${errors.length} mistake(s). First: ${errors[0]?.path} ${errors[0]?.message}`,
    [...errors],
  );

/** @param path of a file in a bundle, or of the bundle itself */
export const unreadable = (path: string, message: string): DomainError => invalidBundle([{ path, message }]);
