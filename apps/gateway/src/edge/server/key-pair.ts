import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

type Setting = 'TLS_CERT_FILE' | 'TLS_KEY_FILE';

/** The files of a pair, by the settings that name them. */
export type KeyPairFiles = Readonly<Record<Setting, string>>;

/** A certificate, with those that vouch for it behind it, and its private key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
  /** When the certificate ends, as it says itself. */
  readonly validTo: string;
}

/** HTTPS cannot be served with what the files hold. Says nothing of what that is. */
export class UnusableKeyPair extends Error {
  override readonly name = 'UnusableKeyPair';

  constructor(readonly problems: readonly (readonly [Setting, message: string])[]) {
    super(problems.map(([setting, message]) => `${setting} ${message}`).join('; '));
  }
}

/**
 * Reads both files and sees that they belong together. Nothing is waited for: they are small, and secrets are mounted from
 * memory.
 *
 * @throws UnusableKeyPair with all that is wrong
 */
export function readKeyPair(files: KeyPairFiles): KeyPair {
  const problems: [Setting, string][] = [];
  const attempt = <T>(setting: Setting, make: () => T, reason: (code: string) => string): T | undefined => {
    try {
      return make();
    } catch (error) {
      problems.push([setting, reason((error as NodeJS.ErrnoException).code ?? 'unknown')]);
      return undefined;
    }
  };
  const unreadable = (code: string): string => `cannot be read (${code})`;
  const notACertificate = (): string => 'holds no certificate in PEM';
  const notAKey = (): string => 'holds no private key in PEM without a passphrase';

  const cert = attempt('TLS_CERT_FILE', () => readFileSync(files.TLS_CERT_FILE, 'utf8'), unreadable);
  const key = attempt('TLS_KEY_FILE', () => readFileSync(files.TLS_KEY_FILE, 'utf8'), unreadable);
  const shown = cert === undefined ? cert : attempt('TLS_CERT_FILE', () => new X509Certificate(cert), notACertificate);
  const held = key === undefined ? key : attempt('TLS_KEY_FILE', () => createPrivateKey(key), notAKey);
  if (cert === undefined || key === undefined || !shown || !held) throw new UnusableKeyPair(problems);
  // OpenSSL alone does not mind a key of another kind: RSA beside a certificate of an elliptic curve
  if (!shown.checkPrivateKey(held)) problems.push(['TLS_KEY_FILE', 'does not belong to the certificate']);
  else
    attempt(
      'TLS_CERT_FILE',
      () => createSecureContext({ cert, key }),
      (code) => `cannot be served (${code})`,
    );
  if (problems.length > 0) throw new UnusableKeyPair(problems);
  return { cert, key, validTo: shown.validTo };
}
