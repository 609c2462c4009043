import type { Findings } from './findings.ts';
import { objectOf } from './json.ts';
import { MANIFEST, type ReadPackage, SUMS } from './read-package.ts';

/** The version of the format of packages. */
export const SCHEMA_VERSION = 2;

interface Listed {
  readonly path: string;
  readonly sha256: unknown;
  /** The manifest has the size, and the list of digests does not. */
  readonly size?: unknown;
}

/** Compares the files of a package with the digests in it. */
export function checkDigests(read: ReadPackage, findings: Findings): void {
  const sums = read.texts.get(SUMS);
  if (!sums) findings.add(SUMS, 'is missing, so the rest cannot be verified');
  else compare(read, SUMS, listedInSums(sums, findings), findings);
  checkManifest(read, findings);
  for (const [path, { sha256 }] of read.files) {
    const [, named] = /^attachments\/([^/]+)\//.exec(path) ?? [];
    if (named !== undefined && named !== sha256) findings.add(path, `has the digest ${sha256}, not that of its folder`);
  }
}

function listedInSums(bytes: Uint8Array, findings: Findings): Listed[] {
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.flatMap((line) => {
    const [, sha256, path] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (path !== undefined) return { path, sha256 };
    if (line !== '') findings.add(SUMS, 'has a line without a digest and a name');
    return [];
  });
}

/** Every file must be listed, and every listed file must be present with its digest. */
function compare({ files }: ReadPackage, list: string, listed: readonly Listed[], findings: Findings): void {
  for (const { path, sha256, size } of listed) {
    const found = files.get(path);
    if (!found) findings.add(path, `is missing; ${list} lists it`);
    else if ((found.sha256 !== sha256 || (size !== undefined && found.size !== size)) && !findings.has(path)) {
      const wanted = typeof sha256 === 'string' ? sha256 : 'something else';
      findings.add(path, `was changed: its SHA-256 is ${found.sha256}, but ${wanted} is listed`);
    }
  }
  const names = new Set([...listed.map(({ path }) => path), list, SUMS]);
  for (const path of files.keys()) {
    if (!names.has(path)) findings.add(path, `does not belong to the package: ${list} does not list it`);
  }
}

function checkManifest(read: ReadPackage, findings: Findings): void {
  const files = read.manifest?.['files'];
  if (!read.files.has(MANIFEST)) findings.add(MANIFEST, 'is missing');
  else if (!Array.isArray(files)) findings.add(MANIFEST, 'does not list the files');
  else if (read.manifest?.['schema_version'] !== SCHEMA_VERSION)
    findings.add(MANIFEST, 'has an unknown version; update waymark');
  else {
    const listed = files.map((file) => {
      const { path, sha256, size = null } = objectOf(file);
      return { path: String(path), sha256, size };
    });
    compare(read, MANIFEST, listed, findings);
  }
}
