import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { usageError } from '../run/cli-error.ts';

/** Changes a file of the user atomically and keeps its comments. */
export function changeYaml(path: string, change: (document: Document) => void): void {
  const place = placeOf(path);
  const document = parseDocument(place.text);
  const [error] = document.errors;
  if (error) throw usageError(`${path}: ${error.message.split('\n')[0]}`, 'Fix the file, or move it away');
  change(document);
  mkdirSync(dirname(place.path), { recursive: true, mode: 0o700 });
  replaceFile(place.path, document.toString({ lineWidth: 0 }));
}

/** Keeps a link and replaces the file that it points to. */
function placeOf(path: string): { path: string; text: string } {
  try {
    const real = realpathSync(path);
    return { path: real, text: readFileSync(real, 'utf8') };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { path, text: '' };
    throw error;
  }
}

function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
