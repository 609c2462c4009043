import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../../apps/cli/src/run/version.ts';
import { buildWeb } from '../demo/build-web.ts';
import { buildPackage } from '../release/build-cli.ts';
import { buildServer } from '../release/build-server.ts';
import { epochOfCommit } from '../release/epoch.ts';
import { buildSite } from '../site/build-site.ts';
import { fillBase } from './base-layer.ts';
import { type ImageConfig, type Layer, type LayerOptions, openLayout, USER } from './oci-layout.ts';
import { ARCHES, type Arch, fetchNode } from './sources.ts';

/**
 * Builds the images of the server, the command line and the reporter into one OCI layout, for both platforms, the same
 * bytes each time.
 *
 *   node tools/image/build-images.ts OUT
 */

const ROOT = join(import.meta.dirname, '../..');
const NODE = '/usr/local/bin/node';
const SERVER = '/opt/waymark/waymark-server.js';
const CLI = '/opt/waymark-cli/dist/waymark.js';

/** A new volume takes over the owner of the folder that it covers. */
const OWN_FOLDERS = ['home/waymark', 'var/lib/waymark'];

interface Image {
  readonly name: string;
  readonly config: ImageConfig;
  /** Puts the program into the root of the image. */
  fill(root: string): Promise<void>;
}

const labels = {
  'org.opencontainers.image.title': 'Waymark',
  'org.opencontainers.image.description': 'The flight recorder for software delivery',
  'org.opencontainers.image.licenses': 'Apache-2.0',
  'org.opencontainers.image.version': version,
};

const IMAGES: readonly Image[] = [
  {
    name: 'waymark',
    config: {
      entrypoint: [NODE, SERVER],
      command: ['all'],
      env: ['NODE_ENV=production', 'WAYMARK_LISTEN_HOST=0.0.0.0', 'PATH=/usr/local/bin'],
      labels,
      port: 8080,
      healthcheck: [NODE, SERVER, 'health'],
    },
    async fill(root) {
      await buildServer(join(root, 'opt/waymark'));
      buildWeb();
      cpSync(join(ROOT, 'apps/web/dist'), join(root, 'opt/waymark/web'), { recursive: true });
      buildSite(join(root, 'opt/waymark/web/help'));
    },
  },
  {
    name: 'waymark-cli',
    config: {
      entrypoint: [NODE, CLI],
      command: ['--help'],
      env: ['NODE_ENV=production', 'PATH=/usr/local/bin'],
      labels: { ...labels, 'org.opencontainers.image.title': 'Waymark command line' },
    },
    fill: fillCli,
  },
  {
    name: 'waymark-reporter',
    config: {
      entrypoint: [NODE, CLI],
      command: ['snapshot', '--help'],
      env: ['NODE_ENV=production', 'PATH=/usr/local/bin'],
      labels: { ...labels, 'org.opencontainers.image.title': 'Waymark reporter' },
    },
    fill: fillCli,
  },
];

function fillCli(root: string): Promise<void> {
  return buildPackage(join(root, 'opt/waymark-cli'));
}

/** Writes one layout with all images, and returns their digests by name. */
export async function buildImages(out: string, arches: readonly Arch[] = ARCHES): Promise<Record<string, string>> {
  rmSync(out, { recursive: true, force: true });
  const layout = openLayout(out, epochOfCommit());
  const layerOf = async (fill: (root: string) => Promise<void> | void, options?: LayerOptions): Promise<Layer> => {
    const root = mkdtempSync(join(tmpdir(), 'image-'));
    chmodSync(root, 0o755);
    try {
      await fill(root);
      return layout.addLayer(root, options);
    } finally {
      rmSync(root, { recursive: true });
    }
  };
  const ownFolders = await layerOf(addOwnFolders, { owner: USER, members: OWN_FOLDERS });
  const platforms: { arch: Arch; layers: Layer[] }[] = [];
  for (const arch of arches) {
    const layers = [
      await layerOf((root) => fillBase(root, arch)),
      ownFolders,
      await layerOf((root) => addNode(root, arch)),
    ];
    platforms.push({ arch, layers });
  }
  const digests: Record<string, string> = {};
  for (const { name, config, fill } of IMAGES) {
    const program = await layerOf(fill);
    const images = platforms.map(({ arch, layers }) => layout.addImage(arch, [...layers, program], config));
    digests[name] = layout.name(name, images);
  }
  return digests;
}

function addOwnFolders(root: string): void {
  for (const folder of OWN_FOLDERS) mkdirSync(join(root, folder), { recursive: true });
}

function addNode(root: string, arch: Arch): void {
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  copyFileSync(fetchNode(arch), join(root, NODE));
  chmodSync(join(root, NODE), 0o755);
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  const digests = await buildImages(resolve(positionals[0] ?? join(ROOT, 'dist/images')));
  for (const [name, digest] of Object.entries(digests)) process.stdout.write(`${name}  ${digest}\n`);
}
