import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** One version, as https://semver.org has it, without build metadata: tags of images cannot hold a plus sign. */
const NUMBER = '(?:0|[1-9]\\d*)';
const SEMANTIC = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`);

interface Place {
  readonly files: readonly string[];
  /** What precedes the version. */
  readonly before: RegExp;
}

/** Every file that names the version of this release. */
const PLACES: readonly Place[] = [
  { files: ['package.json', 'apps/*/package.json', 'packages/*/package.json'], before: /^ {2}"version": "/m },
  {
    files: ['apps/cli/src/run/version.ts', 'apps/server/src/platform/version.ts'],
    before: /^export const (?:version|VERSION) = '/m,
  },
  { files: ['deploy/helm/*/Chart.yaml'], before: /^(?:version|appVersion): "?/m },
  {
    files: ['deploy/**/*.yaml', 'compose*.yaml', 'docs/**/*.md', 'README.md'],
    before: /ghcr\.io\/waymark\/[\w./-]+:(?=\d)/,
  },
  {
    files: ['docs/**/*.md', 'README.md'],
    before: /oci:\/\/ghcr\.io\/waymark\/charts\/[\w-]+ (?:\\\n +)?--version (?=\d)/,
  },
  { files: ['docs/**/*.md', 'README.md'], before: /releases\/download\/v(?=\d)/ },
  {
    files: ['integrations/**/*', 'docs/**/*.md', 'apps/cli/README.md', 'README.md'],
    before: /(?:@waymark\/cli@|waymark\/integrations\/github@v|waymark\/waymark\/waymark@)(?=\d)/,
  },
  {
    files: ['integrations/github/action.yml', 'integrations/gitlab/templates/waymark.yml'],
    before: /all three numbers\n +default: /,
  },
];

const VERSION = /\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?/;

export interface NamedVersion {
  readonly file: string;
  readonly version: string;
}

/** Returns the version in each place, in a fixed order. */
export function namedVersions(root: string = ROOT): NamedVersion[] {
  return PLACES.flatMap(({ files, before }) =>
    filesOf(root, files).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(placeOf(before))].map(([, , version = '']) => ({
        file,
        version,
      })),
    ),
  );
}

/** Writes one version into every place, and returns the files that changed. */
export function setVersion(version: string, root: string = ROOT): string[] {
  if (!isVersion(version)) throw new Error(`"${version}" is not a version such as 1.2.3 or 1.2.3-rc.1`);
  const changed = new Set<string>();
  for (const { files, before } of PLACES) {
    for (const file of filesOf(root, files)) {
      const path = join(root, file);
      const text = readFileSync(path, 'utf8');
      const written = text.replaceAll(placeOf(before), (_, start: string) => start + version);
      if (written === text) continue;
      writeFileSync(path, written);
      changed.add(file);
    }
  }
  return [...changed];
}

export function isVersion(text: string): boolean {
  return SEMANTIC.test(text);
}

function placeOf(before: RegExp): RegExp {
  return new RegExp(`(${before.source})(${VERSION.source})`, 'gm');
}

function filesOf(root: string, patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replace(/^\//, ''))
    .toSorted();
}
