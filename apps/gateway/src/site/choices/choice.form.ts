import { z } from 'zod';
import { ChoiceCreateBody, idText, problems } from '#contracts';
import { DomainError } from '#kernel';
import { checkbox, typedLine, typedText, typedUrl } from '../pages/form.js';

const { title, description } = ChoiceCreateBody.shape;

/** Form that creates or changes a list. */
export const ChoiceForm = z.object({
  title: typedLine.pipe(title),
  description: typedText.pipe(description.unwrap()).transform((value) => (value === '' ? null : value)),
  banner: typedUrl,
  secret: checkbox,
});

/** Names of the fields of `ChoiceForm`. */
export const choiceFields = Object.keys(ChoiceForm.shape);

/** Product that a form adds to a list, in a variant or in the representative one. */
export const ChoiceProductForm = z.object({ product: idText, variant: idText.optional() });

/** Button of a product in a variant, on the page of a list: its value has both ids, as in `5-2`. */
export const ChoiceEntryForm = z.object({
  entry: z
    .string()
    .transform((ids) => ids.split('-'))
    .pipe(z.tuple([idText, idText])),
});

/** Values of the form fields. */
export interface ChoiceValues {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly banner?: string | null | undefined;
  readonly secret?: boolean;
}

export const valuesOfForm = ({
  title,
  description,
  banner,
  secret,
}: Readonly<Record<string, string>>): ChoiceValues => ({
  title,
  description,
  banner,
  secret: secret !== undefined,
});

/** Parses the id of a list from a path. Throws `choice.not-found` if it is malformed. */
export function parseChoiceId(text: string): number {
  const id = idText.safeParse(text);
  if (id.success) return id.data;
  throw new DomainError(problems['choice.not-found'], 'Unknown choice.');
}
