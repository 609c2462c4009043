import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { version } from '../../apps/cli/src/run/version.ts';
import { isFull } from '../test-size.ts';
import { dryRun } from './dry-run.ts';

/** Builds everything, which takes minutes, and only root can enter the image as its user. */
describe.runIf(isFull && process.getuid?.() === 0)('a dry run of a release', () => {
  it('builds, signs, records, publishes, verifies, installs and gets a green verdict', {
    timeout: 3_600_000,
  }, async () => {
    const out = mkdtempSync(join(tmpdir(), 'dry-run-'));
    onTestFinished(() => rmSync(out, { recursive: true }));
    const lines: string[] = [];
    await dryRun({ out, say: (line) => lines.push(line) });
    expect(lines).toEqual([
      'building',
      expect.stringMatching(/^built \d+ files and 3 images$/),
      'signed checksums and provenance',
      'recorded in Waymark: every artifact complies with release/policy.yaml',
      expect.stringMatching(/^published to 127\.0\.0\.1:\d+ and http:\/\/127\.0\.0\.1:\d+\/$/),
      'verified checksums, signatures, SBOMs and provenance',
      'Helm pulls the pushed charts: waymark-reporter, waymark',
      'a changed byte is refused by sha256sum, provenance, signature',
      'a changed image has no signature and no provenance',
      expect.stringContaining('COMPLIANT'),
      'installed from the registries: the verdict is green',
    ]);
    const listed = readFileSync(join(out, 'SHA256SUMS'), 'utf8').trim().split('\n');
    expect(listed.map((line) => line.split('  ')[1])).toEqual(
      expect.arrayContaining([
        ...['contract', 'client', 'cli'].map((name) => `waymark-${name}-${version}.tgz`),
        'waymark-linux-x64',
        `waymark-reporter-chart-${version}.tgz`,
        'sbom-image-waymark.cdx.json',
        'sbom-image-waymark.spdx.json',
      ]),
    );
    expect(readFileSync(join(out, 'RELEASE_NOTES.md'), 'utf8')).toMatch(
      /ghcr\.io\/waymark\/waymark:.*sha256:[0-9a-f]{64}/,
    );
  });
});
