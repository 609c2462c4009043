import type { EvidenceFile } from './evidence-file.ts';
import { isGzip, unpackTgz } from './tgz.ts';
import { OtherFormat, Unreadable } from './unreadable.ts';

/** The name, first characters and extensions of a format. */
interface Format {
  readonly what: string;
  readonly opening: string;
  readonly endings: readonly string[];
}

/**
 * Reads a single file, whatever its name, or each file in a gzipped tar that has one of the extensions. An archive may
 * hold files of other formats too, but at least one must match.
 */
export function readEach<T>(
  file: EvidenceFile,
  { what, opening, endings }: Format,
  read: (file: EvidenceFile) => T,
): T[] {
  if (!isGzip(file.bytes)) return [readAlone(file, opening, read)];
  const results: T[] = [];
  for (const packed of unpackTgz(file)) {
    if (!endings.some((ending) => packed.name.toLowerCase().endsWith(ending))) continue;
    try {
      results.push(read(packed));
    } catch (error) {
      if (!(error instanceof OtherFormat)) throw error;
    }
  }
  if (results.length === 0) throw new OtherFormat(`${file.name}: contains no ${what} (${endings.join(', ')}).`);
  return results;
}

/** A file that does not begin like the format is of another. */
function readAlone<T>(file: EvidenceFile, opening: string, read: (file: EvidenceFile) => T): T {
  try {
    return read(file);
  } catch (error) {
    if (!(error instanceof Unreadable) || opensWith(file, opening)) throw error;
    throw new OtherFormat(error.message, { cause: error });
  }
}

/** Whether the first character after a byte order mark and white space is one of these. */
function opensWith({ bytes }: EvidenceFile, characters: string): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 1024)).trimStart();
  return start !== '' && characters.includes(start.charAt(0));
}
