import { normalize } from 'node:path';
import { usageError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';
import { findFiles, readInput, readNamed } from './find-files.ts';
import { recogniseChosen } from './recognise.ts';
import type { NamedFile } from './tgz.ts';

/** Returns the files that match the patterns. Each must match, and an empty file is not a report. */
export async function readReports(
  session: Session,
  patterns: readonly string[],
  inDirectory: string,
  what: string,
): Promise<NamedFile[]> {
  const files: NamedFile[] = [];
  for (const pattern of patterns) {
    const found =
      pattern === '-'
        ? [await readInput(session, '-')]
        : findFiles(session.io.cwd, [pattern], inDirectory).map((path) => readNamed(session, path));
    if (found.length === 0) {
      throw usageError(`No ${what} found at '${pattern}'`, 'Check that an earlier step wrote it here');
    }
    files.push(...found);
  }
  for (const { name, content } of files) {
    if (content.length === 0)
      throw usageError(`${name} is empty, so it is not a ${what}`, 'Check whether the step that writes it failed');
  }
  return [...new Map(files.map((file) => [file.name, file])).values()];
}

/**
 * Skips other formats that a pattern or a directory found, and refuses them where they were named. A damaged file is
 * always refused: it may be the one with the failures.
 */
export function onlyJunit(session: Session, patterns: readonly string[], files: readonly NamedFile[]): NamedFile[] {
  const named = new Set(patterns.map((pattern) => (pattern === '-' ? 'stdin' : normalize(pattern))));
  // The service unpacks an archive of reports.
  if (files.length === 1 && isGzip(files[0]?.content)) return [...files];
  const usable = files.filter((file) => {
    const what = recogniseChosen(file);
    if (what.kind === 'junit') return true;
    const why = 'why' in what ? what.why : `it is ${what.kind}`;
    if (what.kind === 'damaged' || named.has(file.name)) throw usageError(`${file.name} is not a JUnit report: ${why}`);
    session.say(`  - ${file.name}  skipped: ${why}`);
    return false;
  });
  if (usable.length > 0) return usable;
  throw usageError('None of the files is a JUnit report', 'Check that an earlier step wrote them here');
}

export function isGzip(content: Uint8Array | undefined): boolean {
  return content?.[0] === 0x1f && content[1] === 0x8b;
}
