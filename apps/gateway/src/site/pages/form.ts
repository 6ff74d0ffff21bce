import { z } from 'zod';
import { DomainError, type FieldError } from '#kernel';

/** One line that a person has typed; keyboards of phones put a space behind it. */
export const typedLine = z.string().trim();

/** What is wrong with a form, by field; `form` is about the whole of it. Each is the name of a text. */
type FormErrors = Readonly<Record<string, string>>;

/** Why a form is shown again. */
export interface Refused {
  readonly errors: FormErrors;
  readonly status: number;
  /** For the answer: when to come back, `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The offending places, where the refusal names them. */
  readonly details?: readonly FieldError[] | undefined;
}

export type Submitted<Done> = { readonly done: Done } | Refused;

/** The field that a refusal is about, when it does not say so itself. */
const fieldOf: Readonly<Record<string, string>> = {
  'user.name-taken': 'name',
  'user.name-reserved': 'name',
  'user.name-differs': 'name',
  'user.email-taken': 'email',
  'password.wrong': 'password',
  'password.easy-to-guess': 'newPassword',
  'redirect-uri.invalid': 'redirectUris',
};

/**
 * Checks a form and does what it asks for. A refusal becomes texts beside the fields: `name.invalid` where the shape is
 * wrong, the code of the problem where it cannot be done. What is no refusal is thrown on.
 */
export async function submit<Shape extends z.ZodType, Done>(
  shape: Shape,
  form: Readonly<Record<string, string>>,
  act: (values: z.output<Shape>) => Promise<Done>,
): Promise<Submitted<Done>> {
  try {
    const read = shape.safeParse(form);
    if (!read.success) {
      const fields = read.error.issues.map(({ path }) => String(path[0] ?? 'form'));
      return { errors: Object.fromEntries(fields.map((field) => [field, `${field}.invalid`])), status: 422 };
    }
    return { done: await act(read.data) };
  } catch (error) {
    if (!(error instanceof DomainError) || error.status >= 500) throw error;
    const { kind, status, headers, errors: details } = error;
    return { errors: { [fieldOf[kind.code] ?? 'form']: kind.code }, status, headers, details };
  }
}
