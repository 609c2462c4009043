import { hash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../apps/cli/src/run/version.ts';
import { IMAGES_FOLDER, type Release } from './build-release.ts';
import { unpackImage } from './image-root.ts';
import { type ServerProgram, serverIn, startOwnServer } from './own-server.ts';
import { type BuiltThing, type Origin, provenanceOf } from './provenance.ts';
import { type Evidence, prepareRecord, recordRelease } from './record-release.ts';
import type { Signer } from './sign.ts';
import { PROVENANCE_BUNDLE, STATEMENT, SUMS, SUMS_BUNDLE } from './verify-release.ts';

/** Signs the checksums, and a statement about where everything comes from. */
export function signBuilt(signer: Signer, release: Release, origin: Origin): void {
  const { out } = release;
  writeFileSync(join(out, STATEMENT), JSON.stringify(provenanceOf(builtThings(release), origin)));
  signer.signStatement(join(out, STATEMENT), join(out, PROVENANCE_BUNDLE));
  signer.signFile(join(out, SUMS), join(out, SUMS_BUNDLE));
}

function builtThings({ out, files, images }: Release): BuiltThing[] {
  return [
    ...files.map((name) => ({ name, sha256: hash('sha256', readFileSync(join(out, name))) })),
    ...Object.entries(images).map(([name, digest]) => ({
      name: `ghcr.io/waymark/${name}:${version}`,
      sha256: digest.replace('sha256:', ''),
    })),
  ];
}

/** Starts the server of the release, records the release there, and throws when its policy is not met. */
export async function recordInItself(
  release: Release,
  signer: Signer,
  evidence: Omit<Evidence, 'provenance'>,
  given?: ServerProgram,
): Promise<void> {
  const root = given ? undefined : unpackServer(release);
  const server = await startOwnServer(given ?? serverIn(root ?? ''));
  const cli = join(release.out, 'packages/cli/dist/waymark.js');
  try {
    await prepareRecord(cli, server, signer.trustedAs);
    await recordRelease(cli, server, release, { ...evidence, provenance: join(release.out, PROVENANCE_BUNDLE) });
  } finally {
    await server.stop();
    if (root !== undefined) rmSync(root, { recursive: true });
  }
}

function unpackServer({ out, images }: Release): string {
  const image = images['waymark'];
  if (image === undefined) throw new Error('there is no server to record the release with');
  return unpackImage(join(out, IMAGES_FOLDER), image);
}
