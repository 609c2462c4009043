import { version } from '../../../apps/cli/src/run/version.ts';
import { BINARY } from '../build-cli.ts';

/** Something that is released, of which a bill of materials is made. */
export interface Subject {
  /** Part of the names of its files: `sbom-<id>.cdx.json`. */
  readonly id: string;
  readonly type: 'application' | 'container' | 'library';
  readonly name: string;
  readonly purl: string;
  /** Packages of the workspace; what they need belongs to it as well. */
  readonly packages: readonly string[];
  readonly hasNode: boolean;
  readonly hasDebian: boolean;
}

const SERVER = ['@waymark/server', '@waymark/web'];
const CLI = ['@waymark/cli'];

export const SUBJECTS: readonly Subject[] = [
  image('waymark', SERVER),
  image('waymark-cli', CLI),
  image('waymark-reporter', CLI),
  npm('contract'),
  npm('client'),
  npm('transparency'),
  npm('time-stamps'),
  npm('cli'),
  {
    id: BINARY,
    type: 'application',
    name: BINARY,
    purl: `pkg:generic/${BINARY}@${version}`,
    packages: CLI,
    hasNode: true,
    hasDebian: false,
  },
  {
    id: 'server',
    type: 'application',
    name: 'waymark-server',
    purl: `pkg:generic/waymark-server@${version}`,
    packages: SERVER,
    hasNode: false,
    hasDebian: false,
  },
];

function image(name: string, packages: readonly string[]): Subject {
  return {
    id: `image-${name}`,
    type: 'container',
    name,
    purl: `pkg:oci/${name}?repository_url=ghcr.io/waymark/${name}&tag=${version}`,
    packages,
    hasNode: true,
    hasDebian: true,
  };
}

function npm(name: string): Subject {
  return {
    id: `npm-${name}`,
    type: 'library',
    name: `@waymark/${name}`,
    purl: `pkg:npm/%40waymark/${name}@${version}`,
    packages: [`@waymark/${name}`],
    hasNode: false,
    hasDebian: false,
  };
}
