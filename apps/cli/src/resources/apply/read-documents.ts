import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { LineCounter, parseAllDocuments } from 'yaml';
import { usageError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';
import { readInput } from '../read-input.ts';

export interface RawDocument {
  readonly file: string;
  /** Counted from 1 within the file. */
  readonly number: number;
  readonly value: unknown;
}

const EXTENSIONS = ['.yml', '.yaml', '.json'];

/** Returns all documents of the files and, in directories, of those with a YAML or JSON extension. */
export async function readDocuments(session: Session, sources: readonly string[]): Promise<RawDocument[]> {
  const documents: RawDocument[] = [];
  for (const source of sources) {
    for (const file of filesOf(session.io.cwd, source)) documents.push(...parse(file, await readInput(session, file)));
  }
  if (documents.length > 0) return documents;
  throw usageError(
    `No documents found in ${sources.join(', ')}`,
    `Files must end with ${EXTENSIONS.join(', ')} and contain documents with a kind`,
  );
}

function filesOf(cwd: string, source: string): string[] {
  if (source === '-') return ['-'];
  const root = resolve(cwd, source);
  if (!statSync(root).isDirectory()) return [source];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && EXTENSIONS.includes(extname(entry.name)))
    .map((entry) => join(source, relative(root, join(entry.parentPath, entry.name))))
    .toSorted();
}

function parse(file: string, text: string): RawDocument[] {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((document, at) => {
    const [error] = document.errors;
    if (error) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw usageError(
        `${placeOf({ file, number: at + 1 })} is not YAML, line ${line}, column ${col}: ${error.message}`,
      );
    }
    const value: unknown = toJs(() => document.toJS({ maxAliasCount: 100 }), { file, number: at + 1 });
    return value === null || value === undefined ? [] : [{ file, number: at + 1, value }];
  });
}

/** A broken alias, or too many of them, is detected only here. */
function toJs(convert: () => unknown, place: Pick<RawDocument, 'file' | 'number'>): unknown {
  try {
    return convert();
  } catch (error) {
    throw usageError(`${placeOf(place)} cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}

export function placeOf({ file, number }: Pick<RawDocument, 'file' | 'number'>): string {
  return `${file === '-' ? 'Standard input' : file}, document ${number}`;
}

/**
 * A file that a document names, relative to its own. It must be in its directory, or in the working directory:
 * documents come with proposed changes, and could upload other files of the machine.
 */
export function readBeside(cwd: string, { file }: RawDocument, named: string): string {
  const from = file === '-' ? cwd : resolve(cwd, file, '..');
  const path = realpathSync(resolve(from, named));
  if (![from, cwd].some((root) => isBelow(realpathSync(root), path))) {
    throw usageError(`${named} is outside of the directories that documents can read from`);
  }
  return readFileSync(path, 'utf8');
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
