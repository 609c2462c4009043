import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '../run/cli-error.ts';
import { replaceFile } from '../run/replace-file.ts';
import type { Session } from '../run/session.ts';

interface Destination {
  /** Standard output if there is none. */
  readonly to: string | undefined;
  readonly force: true | undefined;
}

/** Returns a text for standard output, or saves it and returns the line that says so. */
export function printOrSave({ io }: Pick<Session, 'io'>, content: string, { to: file, force }: Destination): string {
  if (file === undefined) return content;
  const path = resolve(io.cwd, file);
  if (!force && existsSync(path))
    throw usageError(`${file} already exists`, 'Choose another file with --to, or overwrite it with --force');
  replaceFile(path, content);
  return `${file} (${Buffer.byteLength(content)} bytes)`;
}
