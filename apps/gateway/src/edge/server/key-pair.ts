import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

type Setting = 'TLS_CERT_FILE' | 'TLS_KEY_FILE';

/** Files of a key pair by setting. */
export type KeyPairFiles = Readonly<Record<Setting, string>>;

/** A certificate with its chain, and its private key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
  /** Expiry of the certificate. */
  readonly validTo: string;
}

/**
 * Thrown if the files are unusable for HTTPS, or only one of them is set. The message does not
 * contain their content.
 */
export class UnusableKeyPair extends Error {
  override readonly name = 'UnusableKeyPair';

  constructor(readonly problems: readonly (readonly [Setting, message: string])[]) {
    super(problems.map(([setting, message]) => `${setting} ${message}`).join('; '));
  }
}

/**
 * Reads both files and checks that they match. Synchronous, because the files are small and secrets
 * are mounted from memory.
 *
 * @throws UnusableKeyPair with all errors
 */
export function readKeyPair(files: KeyPairFiles): KeyPair {
  const problems: [Setting, string][] = [];
  const attempt = <T>(setting: Setting, read: () => T, reason: (code: string) => string): T | undefined => {
    try {
      return read();
    } catch (error) {
      problems.push([setting, reason((error as NodeJS.ErrnoException).code ?? 'unknown')]);
      return undefined;
    }
  };
  const unreadable = (code: string): string => `cannot be read (${code})`;
  const notACertificate = (): string => 'contains no certificate in PEM';
  const notAKey = (): string => 'contains no private key in PEM without a passphrase';

  const cert = attempt('TLS_CERT_FILE', () => readFileSync(files.TLS_CERT_FILE, 'utf8'), unreadable);
  const key = attempt('TLS_KEY_FILE', () => readFileSync(files.TLS_KEY_FILE, 'utf8'), unreadable);
  const certificate =
    cert === undefined ? cert : attempt('TLS_CERT_FILE', () => new X509Certificate(cert), notACertificate);
  const privateKey = key === undefined ? key : attempt('TLS_KEY_FILE', () => createPrivateKey(key), notAKey);
  if (cert === undefined || key === undefined || !certificate || !privateKey) throw new UnusableKeyPair(problems);
  // OpenSSL does not reject a key of another type, such as RSA with an elliptic-curve certificate
  if (!certificate.checkPrivateKey(privateKey)) problems.push(['TLS_KEY_FILE', 'does not match the certificate']);
  else
    attempt(
      'TLS_CERT_FILE',
      () => createSecureContext({ cert, key }),
      (code) => `cannot be used (${code})`,
    );
  if (problems.length > 0) throw new UnusableKeyPair(problems);
  return { cert, key, validTo: certificate.validTo };
}
