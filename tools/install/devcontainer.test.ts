import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../release/run-program.ts';
import { isFull } from '../test-size.ts';
import { cleanRootArchive } from './clean-root.ts';
import { type Docker, startDocker } from './docker.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.devcontainer');
const WORKSPACE = '/workspaces/waymark';

interface Settings {
  readonly remoteEnv: Readonly<Record<string, string>>;
  readonly postCreateCommand: string;
  readonly postStartCommand: string;
}

/** The base that the Dockerfile names, made of Debian and the Go of this machine, which reaches no registry. */
async function makeBase({ docker }: Docker): Promise<void> {
  const [, name = ''] = /^FROM (\S+)$/m.exec(readFileSync(join(FOLDER, 'Dockerfile'), 'utf8')) ?? [];
  await docker('import', cleanRootArchive(), 'debian-root:test');
  const id = await docker('create', 'debian-root:test', '/bin/true');
  const go = runProgram('go', ['env', 'GOROOT']).toString().trim();
  await docker('cp', go, `${id}:/usr/local/go`);
  const path = 'PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  await docker('commit', '--change', `ENV ${path}`, id, name);
  await docker('rm', '--force', id);
}

/** Installs and compiles for minutes. */
it.runIf(isFull && process.getuid?.() === 0)(
  'a clone starts its services and runs a test in the dev container',
  { timeout: 1_800_000 },
  async () => {
    const docker = await startDocker();
    onTestFinished(() => docker.stop());
    await makeBase(docker);
    await docker.docker('build', '--network', 'host', '--tag', 'devcontainer:test', FOLDER);

    const clone = mkdtempSync(join(tmpdir(), 'devcontainer-'));
    onTestFinished(() => rmSync(clone, { recursive: true }));
    runProgram('git', ['clone', '--quiet', '--no-local', ROOT, clone]);
    const settings = JSON.parse(readFileSync(join(FOLDER, 'devcontainer.json'), 'utf8')) as Settings;
    const variables = Object.entries(settings.remoteEnv).map(([name, value]) => {
      const known = value
        .replaceAll('${containerWorkspaceFolder}', WORKSPACE)
        .replaceAll(/\$\{containerEnv:(\w+)\}/g, '$$$1');
      return `export ${name}="${known}"`;
    });
    const commands = [settings.postCreateCommand, settings.postStartCommand, 'pnpm test flow.api.test'];
    const steps = [...variables, ...commands.map((command) => `{ ${command}; } || exit 1`), 'pnpm services down'];
    const base = runProgram(process.execPath, [join(ROOT, 'tools/services.ts'), 'free-base'])
      .toString()
      .trim();
    const options = ['--rm', '--init', '--network', 'host', '--env', `WAYMARK_SERVICES_PORT_BASE=${base}`];
    // Whatever registries this machine reaches, and by which certificates.
    const trust = [
      '--volume',
      '/etc/ssl/certs:/etc/ssl/certs:ro',
      '--env',
      'SSL_CERT_FILE',
      '--env',
      'NODE_EXTRA_CA_CERTS',
    ];
    const mount = [...trust, '--volume', `${clone}:${WORKSPACE}`, '--workdir', WORKSPACE];
    const { status, stdout, stderr } = spawnSync(
      'docker',
      ['run', ...options, ...mount, 'devcontainer:test', 'bash', '-c', steps.join('\n')],
      { encoding: 'utf8', env: { ...process.env, ...docker.env }, maxBuffer: 1024 ** 3 },
    );
    expect(status, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toMatch(/Tests +.*passed/);
  },
);
