import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const OURS = /(ghcr\.io\/waymark\/([\w-]+):[\w.-]+)(?![\w.@-])/g;

/** Writes the compose files that run our images, with the digests of this release. Returns their names. */
export function writeComposeFiles(out: string, images: Readonly<Record<string, string>>): string[] {
  return globSync('compose*.yaml', { cwd: ROOT })
    .toSorted()
    .filter((name) => {
      const text = readFileSync(join(ROOT, name), 'utf8');
      if (text.search(OURS) === -1) return false;
      writeFileSync(join(out, name), pinOurs(text, images));
      return true;
    });
}

/** Adds the digest to every reference to an image of ours. */
export function pinOurs(text: string, images: Readonly<Record<string, string>>): string {
  return text.replace(OURS, (reference, _, name: string) => {
    const digest = images[name];
    return digest === undefined ? reference : `${reference}@${digest}`;
  });
}
