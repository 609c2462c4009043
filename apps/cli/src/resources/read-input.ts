import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Session } from '../run/session.ts';

/** The text of a file, or of standard input for `-`. */
export async function readInput({ io }: Session, file: string): Promise<string> {
  const bytes = file === '-' ? await io.stdin.bytes() : readFileSync(resolve(io.cwd, file));
  return bytes.toString('utf8');
}
