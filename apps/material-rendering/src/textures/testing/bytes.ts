/**
 * Helpers for images that tests write byte by byte: no usual encoder creates them, or it would take
 * minutes.
 */

export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

export const uint16 = (...values: number[]): Buffer =>
  Buffer.from(values.flatMap((value) => [value >> 8, value & 255]));

export const uint32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
};
