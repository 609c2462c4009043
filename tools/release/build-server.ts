import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * The server in one folder, with its migrations: what images and packages contain.
 *
 *   node tools/release/build-server.ts OUT
 */

const ROOT = join(import.meta.dirname, '../..');
const SERVER = join(ROOT, 'apps/server');

export async function buildServer(out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const build = await rolldown({
    input: {
      'waymark-server': join(SERVER, 'src/bin/waymark-server.ts'),
      'waymark-demo': join(ROOT, 'tools/demo/load.ts'),
      'sandbox-worker': join(SERVER, 'src/platform/sandbox/worker.ts'),
    },
    platform: 'node',
    resolve: { alias: { [join(SERVER, 'src/platform/places.ts')]: join(SERVER, 'src/platform/places.bundled.ts') } },
    logLevel: 'warn',
  });
  await build.write({ dir: out, format: 'esm', minify: true, chunkFileNames: '[name]-[hash].js' });
  await build.close();
  cpSync(join(SERVER, 'migrations'), join(out, 'migrations'), { recursive: true });
  // jq looks for its program beside the code.
  const jq = dirname(createRequire(join(SERVER, 'package.json')).resolve('jq-wasm'));
  cpSync(join(jq, 'build/jq.wasm'), join(out, 'build/jq.wasm'));
}

if (import.meta.main) await buildServer(resolve(process.argv[2] ?? 'dist/server'));
