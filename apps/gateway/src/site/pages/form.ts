import { z } from 'zod';
import { problems, webUrl } from '#contracts';
import { DomainError, type FieldError } from '#kernel';
import type { FormValues, PageContext } from './page-context.js';

/** One typed line, trimmed: phone keyboards append a space. */
export const typedLine = z.string().trim();

/**
 * Typed text of several lines, trimmed. Browsers submit line breaks as CR LF; stored texts use LF.
 */
export const typedText = z.string().transform((value) => value.replaceAll('\r\n', '\n').trim());

/** Address of a page or an image, null for an empty field. */
export const typedUrl = typedLine.transform((value) => value || null).pipe(webUrl.nullable());

/** Browsers submit a checkbox only if it is checked. */
export const checkbox = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

/** Keys of error texts by field; the field `form` stands for the whole form. */
type FormErrors = Readonly<Record<string, string>>;

/** A rejected form, which is shown again with its errors. */
export interface FormRejection {
  readonly errors: FormErrors;
  readonly status: number;
  /** Response headers, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Errors of single values, if the rejection names them. */
  readonly details?: readonly FieldError[] | undefined;
}

export type FormResult<Value> = { readonly value: Value } | FormRejection;

/** Field to which a problem code refers. */
const fieldByCode = {
  'user.name-taken': 'name',
  'user.name-reserved': 'name',
  'user.name-differs': 'name',
  'user.email-taken': 'email',
  'password.wrong': 'password',
  'password.easy-to-guess': 'newPassword',
  'redirect-uri.invalid': 'redirectUris',
  'resize-mode.not-allowed': 'resizeMode',
  'item-variant.disabled': 'variant',
  'item-variant.not-of-item': 'variant',
  'print-place.not-of-item': 'variant',
  'text.blank': 'text',
  'text.not-printable': 'text',
  'webhook-endpoint.url-not-allowed': 'url',
} as const satisfies { readonly [Code in keyof typeof problems]?: string };

type FieldCode = keyof typeof fieldByCode;
const fieldsByCode = new Map<string, string>(Object.entries(fieldByCode));
const codesByTitle = new Map((Object.keys(fieldByCode) as FieldCode[]).map((code) => [problems[code].title, code]));

/**
 * Returns the codes of an error by field: its own one, and those of which a detail has the title,
 * because services report the errors of several fields at once.
 */
function errorsOf({ kind, errors = [] }: DomainError): FormErrors {
  const codes = [kind.code, ...errors.flatMap(({ message }) => codesByTitle.get(message) ?? [])];
  return Object.fromEntries(codes.map((code) => [fieldsByCode.get(code) ?? 'form', code]));
}

function rejectionOf(error: DomainError): FormRejection {
  const { status, headers, errors: details } = error;
  return { errors: errorsOf(error), status, headers, details };
}

/** Throws the errors of fields as a domain error. Missing fields have none. */
type FieldCheck<Shape> = (valid: Partial<z.output<Shape>>) => Promise<unknown>;

/**
 * Returns the rejection of the valid fields of a form; undefined if there is none, or if the
 * service fails, as the previous version does during an upgrade: it does not have the message of
 * the check.
 */
async function checkValid<Shape extends z.ZodObject>(
  shape: Shape,
  form: FormValues,
  check: FieldCheck<Shape>,
): Promise<FormRejection | undefined> {
  const valid = Object.entries(shape.shape).flatMap(([field, type]) => {
    const parsed = z.safeParse(type, form[field]);
    return parsed.success ? [[field, parsed.data]] : [];
  });
  if (valid.length === 0) return undefined;
  try {
    await check(Object.fromEntries(valid) as Partial<z.output<Shape>>);
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.status >= 500 ? undefined : rejectionOf(error);
  }
}

/** Returns errors in the order in which the form has its fields. */
function inOrder(errors: FormErrors, form: FormValues): FormErrors {
  const fields = Object.keys(form);
  return Object.fromEntries(Object.entries(errors).sort(([a], [b]) => fields.indexOf(a) - fields.indexOf(b)));
}

/**
 * Validates a form, counts its submission under the rate limit of its page, and runs its action.
 *
 * A validation error becomes `<field>.invalid`, a domain error below status 500 its problem codes.
 * Other errors are rethrown.
 *
 * @param check runs instead of the action if some fields are invalid, so that the form shows the
 *   errors of all fields at once
 */
export async function submit<Shape extends z.ZodType, Value>(
  context: Pick<PageContext, 'countSubmission'>,
  shape: Shape,
  form: FormValues,
  act: (values: z.output<Shape>) => Promise<Value>,
  check?: Shape extends z.ZodObject ? FieldCheck<Shape> : never,
): Promise<FormResult<Value>> {
  try {
    const parsed = shape.safeParse(form);
    if (!parsed.success) {
      const fields = parsed.error.issues.map(({ path }) => String(path[0] ?? 'form'));
      const invalid = Object.fromEntries(fields.map((field) => [field, `${field}.invalid`]));
      const other = check && shape instanceof z.ZodObject ? await checkValid(shape, form, check) : undefined;
      return { status: 422, ...other, errors: inOrder({ ...other?.errors, ...invalid }, form) };
    }
    await context.countSubmission();
    return { value: await act(parsed.data) };
  } catch (error) {
    if (!(error instanceof DomainError) || error.status >= 500) throw error;
    return rejectionOf(error);
  }
}
