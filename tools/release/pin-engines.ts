import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './programs.ts';
import { runProgram } from './run-program.ts';

/**
 * Adds the digest to every image of others in the compose files, as its registry has it at this moment. For the workflow of
 * releases, which has access to registries.
 *
 *   node tools/release/pin-engines.ts
 */

const ROOT = join(import.meta.dirname, '../..');

/** As itself, or as what a variable defaults to. Ours are pinned when they are built. */
const IMAGE = /^( *image: *(?:\$\{\w+:-)?)(?!ghcr\.io\/waymark\/)([\w./:-]+)(\}?)$/gm;

/** Returns the text with each image by tag and digest. */
export function pinEngines(text: string, digestOf: (image: string) => string): string {
  return text.replace(
    IMAGE,
    (_, start: string, image: string, end: string) => `${start}${image}@${digestOf(image)}${end}`,
  );
}

if (import.meta.main) {
  const oras = await findProgram('oras');
  const digestOf = (image: string) =>
    runProgram(oras, ['resolve', withHost(image)])
      .toString()
      .trim();
  for (const name of globSync('compose*.yaml', { cwd: ROOT })) {
    const path = join(ROOT, name);
    writeFileSync(path, pinEngines(readFileSync(path, 'utf8'), digestOf));
  }
}

/** Docker knows `postgres:15` by a longer name. */
export function withHost(image: string): string {
  const [first = '', ...rest] = image.split('/');
  if (rest.length === 0) return `docker.io/library/${image}`;
  return first.includes('.') || first.includes(':') ? image : `docker.io/${image}`;
}
