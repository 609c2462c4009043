import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isFull } from '../test-size.ts';
import { buildImages } from './build-images.ts';

/** What people download. */
const LARGEST_BYTES = 60 * 1024 * 1024;

interface Manifest {
  readonly manifests: { readonly digest: string }[];
  readonly layers: { readonly digest: string; readonly size: number }[];
}

/** Builds for minutes, and only root can enter what was built. */
describe.runIf(isFull && process.getuid?.() === 0)('the images', () => {
  it('are the same in two builds, are small, and have what Node needs and no shell', async () => {
    const [one, two] = [mkdtempSync(join(tmpdir(), 'images-')), mkdtempSync(join(tmpdir(), 'images-'))];
    const digests = await buildImages(one, ['amd64']);
    expect(await buildImages(two, ['amd64'])).toEqual(digests);

    const read = (digest = ''): Manifest =>
      JSON.parse(readFileSync(join(one, 'blobs', digest.replace(':', '/')), 'utf8'));
    for (const [name, digest] of Object.entries(digests)) {
      const { layers } = read(read(digest).manifests[0]?.digest);
      expect(layers.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(LARGEST_BYTES);
      const root = mkdtempSync(join(tmpdir(), 'root-'));
      for (const layer of layers) {
        const file = join(one, 'blobs', layer.digest.replace(':', '/'));
        expect(spawnSync('tar', ['-xzf', file, '-C', root]).status).toBe(0);
      }
      const enter = (...line: string[]) =>
        spawnSync('chroot', ['--userspec=65532:65532', root, ...line], { encoding: 'utf8' });
      const program = name === 'waymark' ? '/opt/waymark/waymark-server.js' : '/opt/waymark-cli/dist/waymark.js';
      expect(statSync(join(root, 'var/lib/waymark')).uid).toBe(65_532);
      expect(statSync(join(root, 'var/lib')).uid).toBe(0);
      expect(enter('/usr/local/bin/node', program, '--help')).toMatchObject({ status: 0, stderr: '' });
      expect(enter('/bin/sh', '-c', 'true').status).toBe(127);
    }
  });
});
