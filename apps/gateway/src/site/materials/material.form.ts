import { z } from 'zod';
import { idText, MaterialCreateBody, MaterialTextBody, problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';
import { checkbox, typedLine, typedText } from '../pages/form.js';

const { title, description } = MaterialCreateBody.shape;

/** Fields of every form of a material. The maximum price is a setting. */
export const materialFields = (maxPrice: number) => ({
  title: typedLine.pipe(title),
  description: typedText.pipe(description.unwrap().unwrap()).transform((value) => (value === '' ? null : value)),
  price: typedLine
    // Japanese keyboards type full-width digits
    .transform((value) => value.normalize('NFKC') || '0')
    .pipe(
      z
        .string()
        .regex(/^\d{1,9}$/)
        .transform(Number),
    )
    .pipe(z.int().max(maxPrice)),
});

/** Form that creates a material from an image. Its items are fields `item-<id>`. */
export const creationForm = (maxPrice: number) =>
  z.object({ ...materialFields(maxPrice), publish: checkbox, key: z.uuid() });

/** Form that creates a material with a T-shirt from a text. Its title is optional. */
export const textForm = (maxPrice: number) =>
  z.object({
    ...materialFields(maxPrice),
    text: typedText.pipe(MaterialTextBody.shape.text),
    title: typedLine.transform((value) => value || undefined).pipe(MaterialTextBody.shape.title),
    publish: checkbox,
    key: z.uuid(),
  });

/**
 * Returns the characters that a rejected text lists, such as `☃ (U+2603)`, and the number of
 * further ones.
 */
export function unprintable(details: readonly FieldError[]): { characters: string[]; more: number } {
  const message = details.map((detail) => detail.message).join();
  const characters = [...message.matchAll(/U\+([0-9A-F]{4,6})/g)].map(
    ([code, digits]) => `${String.fromCodePoint(parseInt(digits!, 16))} (${code})`,
  );
  return { characters, more: Number(/and (\d+) more$/.exec(message)?.[1] ?? 0) };
}

/** Returns the ids of the selected items. */
export const selectedItems = (given: Readonly<Record<string, string>>): number[] =>
  Object.keys(given).flatMap((name) => {
    const id = idText.safeParse(/^item-(.*)$/.exec(name)?.[1]);
    return id.success ? [id.data] : [];
  });

/** Parses the id of a material from a path. Throws `material.not-found` if it is malformed. */
export function parseMaterialId(text: string): number {
  const id = idText.safeParse(text);
  if (id.success) return id.data;
  throw new DomainError(problems['material.not-found'], 'Unknown material.');
}
