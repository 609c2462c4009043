import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';

/** Paths of PEM files: a certificate with its intermediates, and its private key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  /** What a TLS server needs. */
  readonly context: SecureContextOptions;
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Rejects with the file that is wrong and what is wrong with it. An expired certificate is still one. */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([readText(files.cert), readText(files.key)]);
  const parsed = parse(files.cert, 'no certificate in PEM format', () => new X509Certificate(cert));
  const privateKey = parse(files.key, 'no private key in PEM format without a passphrase', () => createPrivateKey(key));
  if (!parsed.checkPrivateKey(privateKey)) {
    throw new Error(`the key in ${files.key} does not belong to the certificate in ${files.cert}`);
  }
  const context = { cert, key, minVersion: 'TLSv1.2' } as const;
  parse(files.cert, 'a certificate that cannot be served', () => createSecureContext(context));
  return { context, names: namesOf(parsed), notBefore: parsed.validFromDate, notAfter: parsed.validToDate };
}

/** Rejects with the reason why clients would refuse the certificate at that time. */
export function requireValidAt({ notBefore, notAfter }: Certificate, now: Date): void {
  if (now > notAfter) throw new Error(`the certificate expired on ${notAfter.toISOString()}`);
  if (now < notBefore) throw new Error(`the certificate is not valid before ${notBefore.toISOString()}`);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function parse<T>(path: string, fault: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${path} contains ${fault} (${(error as Error).message})`);
  }
}

/** Clients ignore the common name, so it is not listed. */
function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return Array.from(subjectAltName.matchAll(/(?:DNS|IP Address):([^,]+)/g), ([, name = '']) => name);
}
