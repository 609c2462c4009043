import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export interface ArchivedFile {
  readonly path: string;
  readonly content: Buffer;
  readonly header?: Partial<Header>;
}

/** Unpacked with the system's own tar, as an auditor would. */
export function unpacked(directory: string, file: string): string {
  const target = mkdtempSync(join(directory, 'unpacked-'));
  execFileSync('tar', ['-xzf', file, '-C', target]);
  return target;
}

export function filesIn(directory: string): ArchivedFile[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: file.slice(directory.length + 1), content: readFileSync(file) }));
}

/** An archive with arbitrary entries. */
async function tgzOf(files: readonly ArchivedFile[]): Promise<Buffer> {
  const tar = pack();
  for (const { path, content, header } of files) tar.entry({ name: path, ...header }, content);
  tar.finalize();
  return gzipSync(await buffer(tar as unknown as AsyncIterable<Uint8Array> as never));
}

export async function writeTgz(file: string, files: readonly ArchivedFile[]): Promise<void> {
  writeFileSync(file, await tgzOf(files));
}

/** Simulates a careful attacker: all digests match again. */
export function resealed(files: readonly ArchivedFile[]): ArchivedFile[] {
  const rest = files.filter(({ path }) => path !== 'SHA256SUMS' && path !== 'manifest.json');
  const old = files.find(({ path }) => path === 'manifest.json');
  const listed = rest.map(({ path, content }) => ({ path, sha256: hash('sha256', content), size: content.length }));
  const about = JSON.parse(old?.content.toString() ?? '{}') as object;
  const manifest = { path: 'manifest.json', content: Buffer.from(JSON.stringify({ ...about, files: listed })) };
  const sums = [...rest, manifest].map(({ path, content }) => `${hash('sha256', content)}  ${path}\n`).join('');
  return [...rest, manifest, { path: 'SHA256SUMS', content: Buffer.from(sums) }];
}
