import { hash } from 'node:crypto';

/**
 * Everything about an entry that must be known without opening it. Numbers follow the order of append: an append that
 * starts after another has finished sees its number, and takes a higher one. Two concurrent appends may take the same.
 */
export interface EntryName {
  readonly file: string;
  readonly number: number;
  readonly latestOnly: boolean;
  /** A digest of the line. */
  readonly line: string;
  /** Including the attachment. */
  readonly bytes: number;
  /** Size of the first line of the file. */
  readonly digest: string;
}

const NAME = /^(\d{12})-(all|latest)-([0-9a-f]{16})-(\d+)-([0-9a-f]{32})\.entry$/;

export function nameOf(parts: Omit<EntryName, 'file'>): string {
  const number = String(parts.number).padStart(12, '0');
  return `${number}-${parts.latestOnly ? 'latest' : 'all'}-${parts.line}-${parts.bytes}-${parts.digest}.entry`;
}

export function parseName(file: string): EntryName | undefined {
  const [, number, kind, line, bytes, digest] = NAME.exec(file) ?? [];
  if (line === undefined || digest === undefined) return undefined;
  return { file, number: Number(number), latestOnly: kind === 'latest', line, bytes: Number(bytes), digest };
}

export function lineDigest(line: string): string {
  return hash('sha256', line).slice(0, 16);
}

export function headDigest(head: string): string {
  return hash('sha256', head).slice(0, 32);
}

/** In the order of append. */
export function sorted(names: readonly EntryName[]): EntryName[] {
  return [...names].sort((a, b) => (a.file < b.file ? -1 : 1));
}
