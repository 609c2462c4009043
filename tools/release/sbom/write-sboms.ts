import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { epochOfCommit } from '../epoch.ts';
import { type Contents, debianContents, mergeContents, nodeContents, npmContents } from './components.ts';
import { cycloneDx } from './cyclonedx.ts';
import { spdx } from './spdx.ts';
import { SUBJECTS, type Subject } from './subjects.ts';

/**
 * Writes a bill of materials in both formats for everything that is released, the same bytes for the same commit.
 *
 *   node tools/release/sbom/write-sboms.ts OUT
 */

/** Returns the names of the files. */
export function writeSboms(out: string): string[] {
  mkdirSync(out, { recursive: true });
  const epoch = epochOfCommit();
  const npm = new Map<string, Contents>();
  return SUBJECTS.flatMap((subject) => {
    const key = subject.packages.join();
    const shared = npm.get(key) ?? npmContents(subject.packages);
    npm.set(key, shared);
    const contents = contentsOf(subject, shared);
    const documents = {
      [sbomName(subject.id, 'cdx')]: cycloneDx(subject, contents, epoch),
      [sbomName(subject.id, 'spdx')]: spdx(subject, contents, epoch),
    };
    for (const [name, document] of Object.entries(documents)) {
      writeFileSync(join(out, name), `${JSON.stringify(document, null, 1)}\n`);
    }
    return Object.keys(documents);
  });
}

function contentsOf({ hasDebian, hasNode }: Subject, npm: Contents): Contents {
  return mergeContents([npm, ...(hasDebian ? [debianContents()] : []), ...(hasNode ? [nodeContents()] : [])]);
}

export function sbomName(id: string, format: 'cdx' | 'spdx'): string {
  return `sbom-${id}.${format}.json`;
}

if (import.meta.main) {
  for (const name of writeSboms(resolve(process.argv[2] ?? 'dist'))) process.stdout.write(`${name}\n`);
}
