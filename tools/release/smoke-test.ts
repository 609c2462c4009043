import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../apps/cli/src/run/version.ts';
import { unpackImage } from './image-root.ts';
import { serverIn, startOwnServer } from './own-server.ts';
import { pullImage } from './publish.ts';
import { runProgram } from './run-program.ts';

/** The least that makes a verdict green. */
const DECLARED = `kind: flow
name: smoke
---
kind: policy
name: tested
policy_yaml: |
  _schema: https://waymark.example.com/policy/v1
  artifacts:
    provenance: { required: true }
    attestations:
      - { name: tests, type: junit }
---
kind: environment
name: production
type: server
policies: [tested]
`;
const TESTS = '<testsuites><testsuite name="unit" tests="1" failures="0"><testcase name="a"/></testsuite></testsuites>';

export interface SmokeTest {
  readonly oras: string;
  /** The image of the server, by digest. */
  readonly image: string;
  /** The address of the npm registry. */
  readonly npm: string;
}

/** Installs the command line and the server from registries, and goes from nothing to a green verdict with them. */
export async function smokeTest({ oras, image, npm }: SmokeTest): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'smoke-'));
  const waymark = installCli(join(work, 'prefix'), npm);
  const root = unpackImage(join(work, 'layout'), pullImage(oras, image, join(work, 'layout')));
  const server = await startOwnServer(serverIn(root));
  try {
    const env = {
      PATH: `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`,
      HOME: work,
      WAYMARK_HOST: server.url,
      WAYMARK_ORG: server.org,
      WAYMARK_TOKEN: server.token,
      WAYMARK_FLOW: 'smoke',
      WAYMARK_TRAIL: 'one',
    };
    const run = (...args: string[]) => runProgram(waymark, args, { cwd: work, env }).toString();
    for (const [name, text] of Object.entries({ 'smoke.yml': DECLARED, 'tests.xml': TESTS, 'app.tgz': 'an app' })) {
      writeFileSync(join(work, name), text);
    }
    const commit = ['--commit', '1b6453892473a467d07372d45eb05abc2031647a'];
    const build = ['--commit-url', 'https://example.com/commit', '--build-url', 'https://example.com/build'];
    run('apply', '-f', 'smoke.yml');
    run('begin', 'trail', ...commit);
    run('attest', 'artifact', 'app.tgz', '--name', 'app', ...build, ...commit);
    run('attest', 'junit', 'tests.xml', '--name', 'tests', '--artifact', './app.tgz', ...commit);
    return run('assert', 'artifact', 'app.tgz', '--env', 'production');
  } finally {
    await server.stop();
    for (const folder of [work, root]) rmSync(folder, { recursive: true });
  }
}

/** Installs the released command line from a registry, and returns its path. */
export function installCli(prefix: string, registry: string): string {
  const cache = join(prefix, 'cache');
  runProgram('npm', [
    ...['install', '--global', '--prefix', prefix, '--cache', cache, '--registry', registry],
    ...['--ignore-scripts', '--no-audit', '--no-fund', `@waymark/cli@${version}`],
  ]);
  const waymark = join(prefix, 'bin/waymark');
  const env = { PATH: `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}` };
  const installed = runProgram(waymark, ['--version'], { env }).toString().trim();
  if (installed !== version) throw new Error(`installed waymark ${installed} instead of ${version}`);
  return waymark;
}
