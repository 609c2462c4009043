import { type Certificate, parseCertificate } from './certificate.ts';
import { readElement } from './element.ts';
import { TimeStampError } from './time-stamp-error.ts';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g;
const MAX_ROOTS = 64;

/** Reads the root certificates of a PEM file. Text around them is ignored. */
export function parseRoots(pem: string): Certificate[] {
  const roots = [...pem.matchAll(CERTIFICATES)].map(([, base64 = '']) =>
    parseCertificate(readElement(fromBase64(base64), 'the certificate')),
  );
  if (roots.length === 0) throw new TimeStampError('the file has no certificate in PEM');
  if (roots.length > MAX_ROOTS) throw new TimeStampError(`the file has more than ${MAX_ROOTS} certificates`);
  return roots;
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (error) {
    throw new TimeStampError('a certificate is not base64', { cause: error });
  }
}
