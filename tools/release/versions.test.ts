import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { version } from '../../apps/cli/src/run/version.ts';
import { isVersion, namedVersions, setVersion } from './versions.ts';

const ROOT = join(import.meta.dirname, '../..');

it('is the same in every file that names it', () => {
  const named = namedVersions();
  expect(named.filter((place) => place.version !== version)).toEqual([]);
  expect(isVersion(version)).toBe(true);
  const files = named.map(({ file }) => file);
  expect(files).toEqual(
    expect.arrayContaining([
      'package.json',
      'apps/server/package.json',
      'packages/contract/package.json',
      'apps/server/src/platform/version.ts',
      'deploy/helm/waymark-reporter/Chart.yaml',
      'integrations/github/action.yml',
      'integrations/gitlab/templates/waymark.yml',
      'integrations/examples/Jenkinsfile',
      'integrations/examples/gitlab-ci.yml',
      'integrations/examples/github-actions.yml',
    ]),
  );
});

it('is set everywhere by one command', () => {
  const root = mkdtempSync(join(tmpdir(), 'versions-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const files = [...new Set(namedVersions().map(({ file }) => file))];
  for (const file of files) cpSync(join(ROOT, file), join(root, file), { recursive: true });
  writeFileSync(join(root, 'compose.yaml'), `services: { api: { image: ghcr.io/waymark/waymark:${version} } }\n`);

  expect(setVersion('12.0.3-rc.2', root).toSorted()).toEqual([...new Set([...files, 'compose.yaml'])].toSorted());
  expect(namedVersions(root).filter((place) => place.version !== '12.0.3-rc.2')).toEqual([]);
  expect(setVersion('12.0.3-rc.2', root)).toEqual([]);

  setVersion(version, root);
  for (const file of files.filter((name) => name !== 'compose.yaml')) {
    expect(readFileSync(join(root, file), 'utf8'), file).toBe(readFileSync(join(ROOT, file), 'utf8'));
  }
});

it('refuses what is not a version', () => {
  for (const text of ['1.2', 'v1.2.3', '1.2.3+4', '01.2.3', '1.2.3-', 'latest', '']) {
    expect(isVersion(text)).toBe(false);
    expect(() => setVersion(text)).toThrow(`"${text}" is not a version`);
  }
});
