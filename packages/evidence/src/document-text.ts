import type { EvidenceFile } from './evidence-file.ts';
import { Unreadable } from './unreadable.ts';

export const DOCUMENT_MAX_BYTES = 10 * 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

export function documentText({ name, bytes }: EvidenceFile): string {
  if (bytes.length > DOCUMENT_MAX_BYTES) throw new Unreadable(`${name}: is larger than 10 MiB.`);
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new Unreadable(`${name}: is not UTF-8.`, { cause });
  }
}
