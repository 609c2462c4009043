import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../../apps/cli/src/run/version.ts';
import { buildWeb } from '../demo/build-web.ts';
import { buildPackage } from '../release/build-cli.ts';
import { buildServer } from '../release/build-server.ts';
import { runProgram } from '../release/run-program.ts';
import { fillBase } from './base-layer.ts';
import { type ImageConfig, type Layer, openLayout } from './oci-layout.ts';
import { ARCHES, type Arch, fetchNode } from './sources.ts';

/**
 * Builds the images `waymark` and `waymark-cli` into one OCI layout, for both platforms, the same bytes each time.
 *
 *   node tools/image/build-images.ts OUT
 */

const ROOT = join(import.meta.dirname, '../..');
const NODE = '/usr/local/bin/node';

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
      entrypoint: [NODE, '/opt/waymark/waymark-server.js'],
      command: ['all'],
      env: ['NODE_ENV=production', 'WAYMARK_LISTEN_HOST=0.0.0.0', 'PATH=/usr/local/bin'],
      labels,
      port: 8080,
    },
    async fill(root) {
      await buildServer(join(root, 'opt/waymark'));
      buildWeb();
      cpSync(join(ROOT, 'apps/web/dist'), join(root, 'opt/waymark/web'), { recursive: true });
    },
  },
  {
    name: 'waymark-cli',
    config: {
      entrypoint: [NODE, '/opt/waymark-cli/dist/waymark.js'],
      command: ['--help'],
      env: ['NODE_ENV=production', 'PATH=/usr/local/bin'],
      labels: { ...labels, 'org.opencontainers.image.title': 'Waymark command line' },
    },
    fill: (root) => buildPackage(join(root, 'opt/waymark-cli')),
  },
];

/** The time of the commit, so that every build of it has the same. */
function epochOfCommit(): number {
  return Number(
    process.env['SOURCE_DATE_EPOCH'] ?? runProgram('git', ['-C', ROOT, 'log', '-1', '--format=%ct']).toString(),
  );
}

/** Writes one layout with all images, and returns their digests by name. */
export async function buildImages(out: string, arches: readonly Arch[] = ARCHES): Promise<Record<string, string>> {
  rmSync(out, { recursive: true, force: true });
  const layout = openLayout(out, epochOfCommit());
  const layerOf = async (fill: (root: string) => Promise<void> | void): Promise<Layer> => {
    const root = mkdtempSync(join(tmpdir(), 'image-'));
    chmodSync(root, 0o755);
    try {
      await fill(root);
      return layout.addLayer(root);
    } finally {
      rmSync(root, { recursive: true });
    }
  };
  const platforms: { arch: Arch; layers: Layer[] }[] = [];
  for (const arch of arches) {
    const layers = [await layerOf((root) => fillBase(root, arch)), await layerOf((root) => addNode(root, arch))];
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
