import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

export const ROOT = join(import.meta.dirname, '../../..');

const run = promisify(execFile);

export interface Packed {
  /** The build output, with SHA256SUMS. */
  readonly directory: string;
  readonly tarball: string;
  readonly manifest: Readonly<Record<string, unknown>> & { readonly version: string };
}

/** The command line as it is released, built by the program that builds releases. */
export async function givenPackage(...flags: readonly string[]): Promise<Packed> {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-package-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  await run(process.execPath, [join(ROOT, 'tools/release/build-cli.ts'), directory, ...flags]);
  const name = readdirSync(directory).find((file) => file.endsWith('.tgz'));
  if (!name) throw new Error('nothing was packed');
  const manifest = JSON.parse(readFileSync(join(directory, 'npm/package.json'), 'utf8'));
  return { directory, tarball: join(directory, name), manifest };
}

/** A local registry with a single package, under the name that npm requests. */
export async function givenRegistry({ tarball, manifest }: Packed): Promise<string> {
  const content = readFileSync(tarball);
  const server = createServer((request, response) => {
    if (request.url === '/cli.tgz') return void response.end(content);
    if (request.url?.toLowerCase() !== '/@waymark%2fcli') return void response.writeHead(404).end('{}');
    const dist = {
      tarball: `${address}/cli.tgz`,
      integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
    };
    const { version } = manifest;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        name: '@waymark/cli',
        'dist-tags': { latest: version },
        versions: { [version]: { ...manifest, dist } },
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterAll(() => void server.close());
  return address;
}
