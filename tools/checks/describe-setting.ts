import { z } from 'zod';

/** Documentation of a setting. */
export interface DescribedSetting {
  /** What it is for; undefined when the shape does not say. */
  readonly meaning: string | undefined;
  readonly type: string;
  /** As it would be written; undefined when there is none. */
  readonly fallback: string | undefined;
  readonly isOptional: boolean;
  /** A credential, or a key that signs for this installation. */
  readonly isSecret: boolean;
}

const range = ({ minValue, maxValue }: z.ZodNumber): string =>
  maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER
    ? `whole number from ${minValue}`
    : `whole number, ${minValue} to ${maxValue}`;

/** A shape and the shapes that it wraps, innermost last. Of a transformed value, the input counts. */
function layers(shape: z.ZodType): z.ZodType[] {
  if (shape instanceof z.ZodPipe) return [shape, ...layers(shape.in as z.ZodType)];
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodDefault)
    return [shape, ...layers(shape.unwrap() as z.ZodType)];
  return [shape];
}

/** Returns the documentation of a setting: its meaning is in `.describe()` of its shape, its secrecy and kind in `.meta()`. */
export function describeSetting(shape: z.ZodType): DescribedSetting {
  const all = layers(shape);
  const said = Object.assign({}, ...all.map((layer) => layer.meta() ?? {}).reverse()) as Record<string, unknown>;
  const last = all.at(-1)!;
  const withDefault = all.find((layer) => layer instanceof z.ZodDefault);
  return {
    meaning: said.description as string | undefined,
    type:
      (said.kind as string | undefined) ??
      (last instanceof z.ZodEnum ? last.options.join(', ') : last instanceof z.ZodNumber ? range(last) : 'text'),
    fallback: withDefault && String(withDefault.def.defaultValue),
    isOptional: all.some((layer) => layer instanceof z.ZodOptional),
    isSecret: said.secret === true,
  };
}
