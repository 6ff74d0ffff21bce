import { structureDefect } from './icon-structure.js';

const maxBytes = 64 * 1024;

const elements = new Set(
  (
    'svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan ' +
    'linearGradient radialGradient stop clipPath'
  ).split(' '),
);
const prefixedAttributes = new Set(['xmlns:xlink', 'xlink:href', 'xml:space']);

/**
 * Returns why an SVG icon is rejected; null for an accepted one. Only elements that draw are
 * allowed, without prefixes, because another prefix may name any namespace. Without entities and
 * escapes the text of the file is what a browser reads.
 */
export function iconDefect(svg: Buffer): string | null {
  if (svg.length > maxBytes) return 'is larger than 64 KB';
  const text = svg.toString();
  if (text.includes('\0') || text.includes('\u{fffd}') || text.includes('\u{1b}')) return 'is not UTF-8';
  const drawing = text.replace(/^<\?xml version="1\.0"(?: encoding="utf-8")?\?>\s*/i, '');
  if (/<[!?]/.test(drawing)) return 'must not have a DOCTYPE, entities, comments or processing instructions';
  if (/[&\\]/.test(drawing)) return 'must not have entities or escapes';
  if (!/^<svg\s[^>]*viewBox="0 0 64 64"/.test(drawing)) return 'must begin with <svg viewBox="0 0 64 64">';
  for (const [, name] of drawing.matchAll(/<\/?([^\s>/]*)/g))
    if (!elements.has(name!)) return `must not have the element ${name!.slice(0, 40)}`;
  // 64 characters are more than any attribute has that draws or runs a script
  for (const [, name] of drawing.replaceAll(/\s+/g, ' ').matchAll(/([^ =<>"']{1,64}) ?= ?["']/g)) {
    if (/^on/i.test(name!)) return 'must not have event handlers';
    if (name!.includes(':') && !prefixedAttributes.has(name!))
      return `must not have the attribute ${name!.slice(0, 40)}`;
  }
  // Only to its own elements
  if (/href\s*=\s*["'](?!#)|(?:url|image|image-set|src)\s*\(\s*(?!['"]?#)|@|:\s*\/\/(?!www\.w3\.org\/)/i.test(drawing))
    return 'must not refer to other files';
  return structureDefect(drawing);
}
