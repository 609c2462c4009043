/**
 * Returns the SHA-256 digests of the subjects of a DSSE envelope or a Sigstore bundle; none if it is unreadable.
 * Verifies nothing.
 */
export function statementSubjects(content: Uint8Array): string[] {
  try {
    const document = JSON.parse(Buffer.from(content).toString('utf8')) as Document;
    const { payload } = document.dsseEnvelope ?? document;
    const { subject } = JSON.parse(Buffer.from(String(payload), 'base64').toString('utf8')) as { subject?: unknown };
    if (!Array.isArray(subject)) return [];
    const digests = subject.map((one: { digest?: { sha256?: unknown } }) => one.digest?.sha256);
    return [
      ...new Set(digests.filter((digest) => typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest))),
    ] as string[];
  } catch {
    return [];
  }
}

interface Document {
  readonly payload?: unknown;
  readonly dsseEnvelope?: { readonly payload?: unknown };
}
