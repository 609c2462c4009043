import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What is at a path: a file with its content, a link with its target, or, as an empty list, a directory. */
export type Tree = Readonly<Record<string, string | { readonly link: string } | readonly never[]>>;

const roots: string[] = [];

/** Makes the tree in a new directory, in the order in which it is written. */
export function givenTree(tree: Tree): string {
  const root = mkdtempSync(join(tmpdir(), 'fingerprint-'));
  roots.push(root);
  for (const [path, what] of Object.entries(tree)) {
    const place = join(root, path);
    mkdirSync(dirname(place), { recursive: true });
    if (typeof what === 'string') writeFileSync(place, what);
    else if ('link' in what) symlinkSync(what.link, place);
    else mkdirSync(place, { recursive: true });
  }
  return root;
}

export function removeTrees(): void {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
}
