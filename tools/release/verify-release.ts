import { hash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Release } from './build-release.ts';
import type { Published } from './publish.ts';
import { runProgram } from './run-program.ts';
import { sbomName } from './sbom/write-sboms.ts';
import type { Signer } from './sign.ts';

export const SUMS = 'SHA256SUMS';
export const SUMS_BUNDLE = 'SHA256SUMS.sigstore.json';
export const STATEMENT = 'provenance.json';
export const PROVENANCE_BUNDLE = 'provenance.sigstore.json';

/** Signs what was pushed, and attaches the bill of materials and the provenance to each image. */
export function signPublished(signer: Signer, { out }: Release, { images, charts }: Published): void {
  const { predicate } = JSON.parse(readFileSync(join(out, STATEMENT), 'utf8')) as { predicate: object };
  const file = join(out, 'predicate.json');
  writeFileSync(file, JSON.stringify(predicate));
  for (const [name, image] of Object.entries(images)) {
    signer.signImage(image);
    signer.attestImage(image, 'cyclonedx', join(out, sbomName(`image-${name}`, 'cdx')));
    signer.attestImage(image, 'spdxjson', join(out, sbomName(`image-${name}`, 'spdx')));
    signer.attestImage(image, 'slsaprovenance1', file);
  }
  rmSync(file);
  for (const chart of Object.values(charts)) signer.signImage(chart);
}

/** Checks everything as a user can: checksums, signatures, and that the provenance names each file and image. */
export function verifyRelease(signer: Signer, { out, files }: Release, { images, charts }: Published): void {
  runProgram('sha256sum', ['--check', '--strict', SUMS], { cwd: out });
  signer.verifyFile(join(out, SUMS), join(out, SUMS_BUNDLE));
  for (const name of files) signer.verifyStatement(join(out, name), join(out, PROVENANCE_BUNDLE));
  for (const image of Object.values(images)) {
    signer.verifyImage(image);
    for (const type of ['slsaprovenance1', 'cyclonedx', 'spdxjson'] as const) signer.verifyAttestation(image, type);
  }
  for (const chart of Object.values(charts)) signer.verifyImage(chart);
}

/** Changes one byte of a copy, and reports which checks notice it. A check that does not notice it is worth nothing. */
export function verifyTampering(signer: Signer, { out, files }: Release): string[] {
  const [name] = files;
  if (name === undefined) throw new Error('there is nothing to change');
  const path = join(out, name);
  const content = readFileSync(path);
  const changed = Buffer.from(content);
  changed.writeUInt8(changed.readUInt8(changed.length >> 1) ^ 1, changed.length >> 1);
  writeFileSync(path, changed);
  try {
    const checks: Record<string, () => void> = {
      sha256sum: () => void runProgram('sha256sum', ['--check', '--strict', SUMS], { cwd: out }),
      provenance: () => signer.verifyStatement(path, join(out, PROVENANCE_BUNDLE)),
      signature: () => {
        const sums = readFileSync(join(out, SUMS), 'utf8').replace(hash('sha256', content), hash('sha256', changed));
        writeFileSync(join(out, 'changed-sums'), sums);
        signer.verifyFile(join(out, 'changed-sums'), join(out, SUMS_BUNDLE));
      },
    };
    return Object.entries(checks).map(([check, run]) => {
      if (!fails(run)) throw new Error(`${check} did not notice a changed byte in ${name}`);
      return check;
    });
  } finally {
    writeFileSync(path, content);
    rmSync(join(out, 'changed-sums'), { force: true });
  }
}

/** Pushes an image whose index has one byte more, and checks that its signature and its provenance are missed. */
export function verifyTamperedImage(signer: Signer, oras: string, image: string): void {
  const [repository = ''] = image.split('@');
  const index = runProgram(oras, ['manifest', 'fetch', '--plain-http', image]);
  const changed = Buffer.concat([index, Buffer.from(' ')]);
  const type = 'application/vnd.oci.image.index.v1+json';
  runProgram(oras, ['manifest', 'push', '--plain-http', '--media-type', type, `${repository}:changed`, '-'], {
    input: changed,
  });
  const pushed = `${repository}@sha256:${hash('sha256', changed)}`;
  if (!fails(() => signer.verifyImage(pushed))) throw new Error('the signature of a changed image was accepted');
  if (!fails(() => signer.verifyAttestation(pushed, 'slsaprovenance1'))) {
    throw new Error('the provenance of a changed image was accepted');
  }
}

function fails(run: () => void): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}
