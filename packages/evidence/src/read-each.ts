import type { EvidenceFile } from './evidence-file.ts';
import { isGzip, unpackTgz } from './tgz.ts';
import { OtherFormat, Unreadable } from './unreadable.ts';

/**
 * Reads a single file, or each file in a gzipped tar that has one of the endings. An archive may hold files
 * of other formats too, but at least one must be what is looked for.
 */
export function readEach<T>(
  file: EvidenceFile,
  endings: readonly string[],
  what: string,
  read: (file: EvidenceFile) => T,
): T[] {
  if (!isGzip(file.bytes)) return [read(file)];
  const results: T[] = [];
  for (const packed of unpackTgz(file)) {
    if (!endings.some((ending) => packed.name.toLowerCase().endsWith(ending))) continue;
    try {
      results.push(read(packed));
    } catch (error) {
      if (!(error instanceof OtherFormat)) throw error;
    }
  }
  if (results.length === 0) throw new Unreadable(`${file.name}: holds no ${what} (${endings.join(', ')}).`);
  return results;
}
