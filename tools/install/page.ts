import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const GIVES_UP_AFTER_MS = 900_000;

/** The commands of a section of the page, as they stand there, each block by itself. */
export function commandsOf(heading: string): string[] {
  const section = readDocument('install.md')
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`));
  if (!section) throw new Error(`docs/install.md has no section '${heading}'`);
  return blocksIn(section);
}

/** The blocks of commands of a whole page. */
export function blocksOf(document: string): string[] {
  return blocksIn(readDocument(document));
}

function readDocument(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
}

function blocksIn(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
}

/** Runs commands in one shell, as a reader would, and returns what they printed. */
export async function follow(
  commands: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const script = ['set -euo pipefail', ...commands].join('\n');
  const options = { cwd, env: { PATH: process.env['PATH'] ?? '', ...env }, timeout: GIVES_UP_AFTER_MS };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], options).catch(
    (error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`the commands broke off after they had printed:\n${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout;
}

/** The key that `key create` printed. */
export function keyIn(printed: string): string {
  const [key] = /wmk_[0-9A-Za-z]+/.exec(printed) ?? [];
  if (!key) throw new Error(`no key in:\n${printed}`);
  return key;
}
