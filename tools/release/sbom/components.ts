import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import lock from '../../image/base.lock.json' with { type: 'json' };
import { runProgram } from '../run-program.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** One package in a product, in the words that both formats share. */
export interface Component {
  /** Identifies it in every tool: https://github.com/package-url/purl-spec. */
  readonly purl: string;
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** An identifier or expression of SPDX; unknown where there is none. */
  readonly license?: string;
  readonly distribution?: string;
  readonly hash?: { readonly algorithm: 'SHA-256' | 'SHA-512'; readonly hex: string };
  /** By which advisories about Node name it. */
  readonly cpe?: string;
}

export interface Contents {
  readonly components: readonly Component[];
  /** What each package needs, by purl. The root is not in it. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

/** As pnpm writes them, as far as they are read here. */
interface PnpmComponent {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly description?: string;
  readonly licenses?: readonly { license?: { id?: string; name?: string }; expression?: string }[];
  readonly externalReferences?: readonly { type: string; url: string; hashes?: readonly { content: string }[] }[];
}

interface PnpmDocument {
  readonly components: readonly PnpmComponent[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** What the lockfile has for some packages of the workspace and all that they need at run time. */
export function npmContents(packages: readonly string[]): Contents {
  const filters = packages.flatMap((name) => ['--filter', `${name}...`]);
  const printed = runProgram('pnpm', ['sbom', '--sbom-format', 'cyclonedx', '--prod', ...filters], {
    cwd: ROOT,
  });
  const { components, dependencies } = JSON.parse(printed.toString()) as PnpmDocument;
  const found = components.map(fromPnpm);
  const purls = new Set(found.map(({ purl }) => purl));
  const edges = dependencies
    .filter(({ ref }) => purls.has(ref))
    .map(({ ref, dependsOn = [] }): [string, string[]] => [ref, dependsOn.filter((purl) => purls.has(purl))]);
  return { components: found, dependencies: new Map([...edges, ...workspaceEdges(found)]) };
}

/** pnpm 12.18 lists what packages of the workspace need in some runs and not in others. */
function workspaceEdges(components: readonly Component[]): [string, string[]][] {
  const own = new Map(globSync('{apps,packages}/*/package.json', { cwd: ROOT }).map(readManifest));
  const catalog = catalogOf();
  const purlOf = (name: string) =>
    components.find(
      (component) => component.name === name && component.version === (catalog[name] ?? component.version),
    )?.purl;
  return components.flatMap(({ purl, name }): [string, string[]][] => {
    const needs = own.get(name);
    return needs ? [[purl, needs.flatMap((needed) => purlOf(needed) ?? [])]] : [];
  });
}

function readManifest(path: string): [name: string, needs: string[]] {
  const { name, dependencies = {} } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as {
    name: string;
    dependencies?: Record<string, string>;
  };
  return [name, Object.keys(dependencies)];
}

function catalogOf(): Readonly<Record<string, string>> {
  return parse(readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')).catalog;
}

function fromPnpm({ group, name, version, purl, description, licenses, externalReferences }: PnpmComponent): Component {
  const [first] = licenses ?? [];
  const license = first?.expression ?? first?.license?.id;
  const distribution = externalReferences?.find(({ type }) => type === 'distribution');
  const hex = distribution?.hashes?.[0]?.content;
  return {
    purl,
    name: group === undefined ? name : `${group}/${name}`,
    version,
    ...(description !== undefined && { description }),
    ...(license !== undefined && { license }),
    ...(distribution && { distribution: distribution.url }),
    ...(hex !== undefined && { hash: { algorithm: 'SHA-512' as const, hex } }),
  };
}

/** The Debian packages that the lock of the images names, for every platform. */
export function debianContents(): Contents {
  const components = Object.entries(lock.packages).flatMap(([arch, packages]) =>
    packages.map(({ name, version, path, sha256 }): Component => {
      const own = path.endsWith('_all.deb') ? 'all' : arch;
      return {
        purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${own}&distro=debian-13`,
        name,
        version,
        distribution: `https://deb.debian.org/debian/${path}`,
        hash: { algorithm: 'SHA-256', hex: sha256 },
      };
    }),
  );
  return { components, dependencies: new Map() };
}

export function nodeContents(): Contents {
  const { version } = lock.node;
  const node: Component = {
    purl: `pkg:generic/node@${version}`,
    name: 'node',
    version,
    description: 'Node.js',
    license: 'MIT',
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:-:*:*:*`,
  };
  return { components: [node], dependencies: new Map() };
}

/** Each package once, in an order that depends on nothing else. */
export function mergeContents(parts: readonly Contents[]): Contents {
  const components = new Map(parts.flatMap((part) => part.components.map((component) => [component.purl, component])));
  const dependencies = new Map(parts.flatMap((part) => [...part.dependencies]));
  return {
    components: [...components.values()].toSorted((a, b) => compare(a.purl, b.purl)),
    dependencies: new Map(
      [...dependencies]
        .map(([purl, needs]): [string, string[]] => [purl, needs.toSorted(compare)])
        .toSorted(([a], [b]) => compare(a, b)),
    ),
  };
}

/** By code unit, so that the language of the machine does not matter. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** An identifier that the content decides, where the formats ask for a random one. */
export function uuidOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}

export function licenseOfProject(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { license: string }).license;
}
