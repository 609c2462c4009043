import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

interface Manifest {
  readonly manifests: readonly { digest: string; platform?: { architecture: string }; annotations?: object }[];
  readonly layers: readonly { digest: string }[];
}

/** Unpacks one platform of an image in an OCI layout, and returns its root. Owners are only set by root. */
export function unpackImage(layout: string, digest: string, arch = 'amd64'): string {
  const blob = (name: string) => join(layout, 'blobs', name.replace(':', '/'));
  const read = (name: string): Manifest => JSON.parse(readFileSync(blob(name), 'utf8'));
  const platform = read(digest).manifests.find((manifest) => manifest.platform?.architecture === arch);
  if (!platform) throw new Error(`${digest} is not an image for ${arch}`);
  const root = mkdtempSync(join(tmpdir(), 'image-root-'));
  chmodSync(root, 0o755);
  for (const layer of read(platform.digest).layers) runProgram('tar', ['-xzf', blob(layer.digest), '-C', root]);
  return root;
}
