import { z } from 'zod';

/** Documentation of a setting. */
export interface DescribedSetting {
  /** Purpose; undefined if the shape has no description. */
  readonly meaning: string | undefined;
  readonly type: string;
  /** Default as text; undefined if there is none. */
  readonly fallback: string | undefined;
  readonly isOptional: boolean;
  /** A credential or a signing key. */
  readonly isSecret: boolean;
}

const range = ({ minValue, maxValue }: z.ZodNumber): string =>
  maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER
    ? `whole number from ${minValue}`
    : `whole number, ${minValue} to ${maxValue}`;

/**
 * Returns a shape and the shapes that it wraps, innermost last. For a transformed value, the input
 * shape.
 */
function layers(shape: z.ZodType): z.ZodType[] {
  if (shape instanceof z.ZodPipe) return [shape, ...layers(shape.in as z.ZodType)];
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodDefault)
    return [shape, ...layers(shape.unwrap() as z.ZodType)];
  return [shape];
}

/**
 * Returns the documentation of a setting: its meaning is in `.describe()` of its shape, its secrecy
 * and kind in `.meta()`.
 */
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
