/** Converts a gamma-encoded channel, 0-255, to linear light, 0-1 (IEC 61966-2-1). */
function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/**
 * Returns the relative luminance of a color, 0 (black) to 1 (white), by WCAG 2.2: 0.2126 R + 0.7152
 * G + 0.0722 B.
 */
export function luminance(rgb: string): number {
  const channel = (at: number) => linear(Number.parseInt(rgb.slice(at, at + 2), 16));
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

/**
 * Luminance on which black and white letters have the same contrast. WCAG contrast is (lighter +
 * 0.05) / (darker + 0.05), so white on a color of luminance Y has 1.05 / (Y + 0.05), black has (Y +
 * 0.05) / 0.05; both are equal at sqrt(1.05 * 0.05) - 0.05.
 */
const evenLuminance = Math.sqrt(1.05 * 0.05) - 0.05;

/**
 * Returns whether white letters have more contrast on this color than black ones. Every other color
 * is light.
 */
export const isDark = (rgb: string): boolean => luminance(rgb) < evenLuminance;
