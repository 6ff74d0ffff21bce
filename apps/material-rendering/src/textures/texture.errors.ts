import { problems } from '#contracts';
import { DomainError } from '#kernel';

/**
 * Problems of a texture. `seen` describes the received data: `HTTP 200, 1234 bytes` for a URL,
 * `1234 bytes` for an upload.
 */

export const notFetched = (reason: string, seen?: string): DomainError =>
  new DomainError(problems['texture.not-fetched'], withSeen(`the image could not be fetched: ${reason}`, seen));

export const addressRejected = (reason: string): DomainError =>
  new DomainError(problems['texture.address-refused'], `the address of the image is not allowed: ${reason}`);

export const empty = (seen?: string): DomainError =>
  new DomainError(problems['texture.empty'], withSeen('the image is empty', seen));

export const tooLarge = (reason: string, seen?: string): DomainError =>
  new DomainError(problems['texture.too-large'], withSeen(`the image is too large: ${reason}`, seen));

export const unsupportedFormat = (format: string, seen: string): DomainError =>
  new DomainError(
    problems['texture.unsupported-format'],
    withSeen(`the image is ${format}; PNG, JPEG, WebP, AVIF and GIF are supported`, seen),
  );

export const notDecoded = (reason: string, seen: string): DomainError =>
  new DomainError(problems['texture.not-decoded'], withSeen(`the image cannot be read: ${reason}`, seen));

const withSeen = (text: string, seen: string | undefined): string => (seen === undefined ? text : `${text} (${seen})`);
