import { z } from 'zod';
import {
  type Application,
  applicationDescription,
  applicationName,
  type RedirectUriProblem,
  redirectUriProblems,
  redirectUriText,
  type Scope,
  webUrl,
} from '#contracts';
import type { FieldError } from '#kernel';
import { checkbox, typedLine, typedText } from '../pages/form.js';

/** A line of the field for redirect URIs, as typed. Line numbers start at 1. */
interface TypedLine {
  readonly line: number;
  readonly uri: string;
}

/** Splits the field into one redirect URI per line, and skips empty lines. */
const linesOf = (typed: string): TypedLine[] =>
  typed
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ line: index + 1, uri: line.trim() }))
    .filter(({ uri }) => uri !== '');

const fields = {
  name: typedLine.pipe(applicationName),
  description: typedText.pipe(applicationDescription),
  homePage: typedLine.transform((value) => (value === '' ? null : value)).pipe(webUrl.nullable()),
  redirectUris: z
    .string()
    .transform((typed) => linesOf(typed).map(({ uri }) => uri))
    .pipe(z.array(redirectUriText).min(1).max(10)),
  write: checkbox,
  namesIssuer: checkbox,
};

/** Names of the fields that both forms have. */
export const formFields = Object.keys(fields);

const scopesOf = (write: boolean): Scope[] => (write ? ['read', 'write'] : ['read']);

/** Form that registers an application. */
export const RegistrationForm = z
  .object({ ...fields, kind: z.enum(['confidential', 'public']) })
  .transform(({ write, kind, ...values }) => ({
    ...values,
    scopes: scopesOf(write),
    confidential: kind === 'confidential',
  }));

/** Form that changes a registered application. */
export const UpdateForm = z
  .object(fields)
  .transform(({ write, ...values }) => ({ ...values, scopes: scopesOf(write) }));

/** Values of the form fields. */
export interface FormValues {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly homePage?: string | null | undefined;
  readonly redirectUris?: string | undefined;
  readonly write?: boolean;
  readonly namesIssuer?: boolean;
  readonly kind?: string | undefined;
}

export const valuesOfForm = (given: Readonly<Record<string, string>>): FormValues => {
  const { name, description, homePage, redirectUris, kind, write, namesIssuer } = given;
  const checked = { write: write !== undefined, namesIssuer: namesIssuer !== undefined };
  return { name, description, homePage, redirectUris, kind, ...checked };
};

export const valuesOf = ({ redirectUris, scopes, ...application }: Application): FormValues => {
  const { name, description, homePage, namesIssuer } = application;
  const lines = redirectUris.join('\n');
  return { name, description, homePage, redirectUris: lines, write: scopes.includes('write'), namesIssuer };
};

/** A rejected redirect URI. The reason is undefined if the pages have no text for it. */
interface RejectedLine extends TypedLine {
  readonly reason: RedirectUriProblem | undefined;
}

const reasons = Object.keys(redirectUriProblems) as RedirectUriProblem[];

/** Returns the lines to which the validation errors refer. */
export function rejectedLines(typed: string, details: readonly FieldError[]): RejectedLine[] {
  const lines = linesOf(typed);
  return details.flatMap(({ path, message }) => {
    const line = lines[Number(/^redirectUris\.(\d+)$/.exec(path)?.[1])];
    return line ? [{ ...line, reason: reasons.find((reason) => redirectUriProblems[reason] === message) }] : [];
  });
}
