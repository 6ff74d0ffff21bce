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
import { typedLine } from '../pages/form.js';

/** A line of the redirect URIs as it was typed; numbers begin with 1. */
interface TypedLine {
  readonly line: number;
  readonly uri: string;
}

/** One address in each line; empty lines are there for reading. */
const linesOf = (typed: string): TypedLine[] =>
  typed
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ line: index + 1, uri: line.trim() }))
    .filter(({ uri }) => uri !== '');

/** A checkbox is only sent when it is checked. */
const checkbox = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

const fields = {
  name: typedLine.pipe(applicationName),
  // Forms send line breaks as CR LF; a text has LF
  description: z
    .string()
    .transform((value) => value.replaceAll('\r\n', '\n').trim())
    .pipe(applicationDescription),
  homePage: typedLine.transform((value) => (value === '' ? null : value)).pipe(webUrl.nullable()),
  redirectUris: z
    .string()
    .transform((typed) => linesOf(typed).map(({ uri }) => uri))
    .pipe(z.array(redirectUriText).min(1).max(10)),
  write: checkbox,
  namesIssuer: checkbox,
};

const scopesOf = (write: boolean): Scope[] => (write ? ['read', 'write'] : ['read']);

/** What the form of a new application says. */
export const RegistrationForm = z
  .object({ ...fields, kind: z.enum(['confidential', 'public']) })
  .transform(({ write, kind, ...values }) => ({
    ...values,
    scopes: scopesOf(write),
    confidential: kind === 'confidential',
  }));

/** What the form of an application that is there says. */
export const ChangeForm = z
  .object(fields)
  .transform(({ write, ...values }) => ({ ...values, scopes: scopesOf(write) }));

/** What stands in the fields of a form. */
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

/** A redirect URI that was refused, and why; the reason is undefined when it is one that pages have no words for. */
interface RefusedLine extends TypedLine {
  readonly reason: RedirectUriProblem | undefined;
}

const reasons = Object.keys(redirectUriProblems) as RedirectUriProblem[];

/** The lines that a refusal is about. */
export function refusedLines(typed: string, details: readonly FieldError[]): RefusedLine[] {
  const lines = linesOf(typed);
  return details.flatMap(({ path, message }) => {
    const line = lines[Number(/^redirectUris\.(\d+)$/.exec(path)?.[1])];
    return line ? [{ ...line, reason: reasons.find((reason) => redirectUriProblems[reason] === message) }] : [];
  });
}
