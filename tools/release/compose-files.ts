import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const OURS = /(ghcr\.io\/waymark\/([\w-]+):[\w.-]+)(?![\w.@-])/g;

/** Writes all compose files, with the digests of this release. Returns their names. */
export function writeComposeFiles(out: string, images: Readonly<Record<string, string>>): string[] {
  const names = globSync('compose*.yaml', { cwd: ROOT }).toSorted();
  for (const name of names) {
    writeFileSync(join(out, name), pinOurs(readFileSync(join(ROOT, name), 'utf8'), images));
  }
  return names;
}

/** Adds the digest to every reference to an image of ours. */
export function pinOurs(text: string, images: Readonly<Record<string, string>>): string {
  return text.replace(OURS, (reference, _, name: string) => {
    const digest = images[name];
    return digest === undefined ? reference : `${reference}@${digest}`;
  });
}
