import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import {
  type PackageEntry,
  type PackageVerdict,
  verifyPackage,
} from '../../../../packages/audit-verifier/src/index.ts';
import type { TestApi } from '../harness.ts';

/** The files of the audit package of an environment, by path. */
export async function environmentPackage(api: TestApi, environment: string): Promise<Map<string, Buffer>> {
  const url = `/api/v2/environments/acme/${environment}/audit_package`;
  const answer = await api.app.http.inject({ url, headers: { authorization: `Bearer ${api.org.keys.reader}` } });
  const files = new Map<string, Buffer>();
  const tar = extract();
  tar.end(gunzipSync(answer.rawPayload));
  for await (const entry of tar) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    files.set(entry.header.name, Buffer.concat(chunks));
  }
  return files;
}

/** Verifies a package as one does without Waymark. */
export function verifyFiles(files: ReadonlyMap<string, Buffer>): Promise<PackageVerdict> {
  return verifyPackage(entriesOf(files), HASHING);
}

const HASHING = {
  createDigest: () => {
    const hash = createHash('sha256');
    return { update: (bytes: Uint8Array) => hash.update(bytes), hex: () => hash.digest('hex') };
  },
};

async function* entriesOf(files: ReadonlyMap<string, Buffer>): AsyncGenerator<PackageEntry> {
  for (const [path, bytes] of files) yield { path, kind: 'file', content: Readable.from([bytes]) };
}
