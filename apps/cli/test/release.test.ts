import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getTrail, putFlow } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isFull } from '../../../tools/test-size.ts';
import { startApi } from '../../server/test/harness.ts';
import { version } from '../src/run/version.ts';
import { addressOf } from './given-cli.ts';
import { givenPackage, type Packed, ROOT } from './given-package.ts';

const MAX_BYTES = 1.5 * 1024 * 1024;
const COMMIT = '1b6453892473a467d07372d45eb05abc2031647a';

const elsewhere = mkdtempSync(join(tmpdir(), 'waymark-elsewhere-'));
afterAll(() => rmSync(elsewhere, { recursive: true }));

const api = await startApi();
let packed: Packed;

beforeAll(async () => {
  packed = await givenPackage(...(isFull ? ['--binary'] : []));
  cpSync(join(packed.directory, 'npm'), join(elsewhere, 'waymark'), { recursive: true });
  await api.call(putFlow, { body: { name: 'shop' } });
}, 300_000);

/** With nothing of this machine but Node. Asynchronous: the server runs in this process. */
async function start([program = '', ...args]: readonly string[], env: Record<string, string> = {}) {
  const path = `${join(process.execPath, '..')}:/usr/bin:/bin`;
  const child = spawn(program, args, { cwd: elsewhere, env: { PATH: path, HOME: elsewhere, ...env } });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [status, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { status, stdout, stderr };
}

async function attestWith(program: readonly string[], trail: string): Promise<void> {
  const env = {
    WAYMARK_HOST: await addressOf(api),
    WAYMARK_ORG: api.org.name,
    WAYMARK_TOKEN: api.org.keys.admin,
    WAYMARK_FLOW: 'shop',
    WAYMARK_TRAIL: trail,
  };
  for (const line of [
    ['begin', 'trail', '--commit', COMMIT],
    ['attest', 'generic', '--name', 'lint', '--compliant', 'true', '--commit', COMMIT],
  ]) {
    const { status, stderr } = await start([...program, ...line], env);
    expect(status, stderr).toBe(0);
  }
  const { body } = await api.call(getTrail, { params: { flow_name: 'shop', trail_name: trail } });
  expect(body.git_commit_info?.sha1).toBe(COMMIT);
  expect(body.compliance_status.attestations_statuses.map((status) => status.attestation_name)).toEqual(['lint']);
}

describe('the package for npm', () => {
  it('has no dependencies and no install script', () => {
    expect(packed.manifest).toMatchObject({ name: '@waymark/cli', version, bin: { waymark: 'dist/waymark.js' } });
    expect(Object.keys(packed.manifest)).not.toContain('scripts');
    expect(Object.keys(packed.manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
    const code = globSync(join(packed.directory, 'npm/dist/*.js')).map((file) => readFileSync(file, 'utf8'));
    expect(code.length).toBeGreaterThan(20);
    const imported = code.flatMap((text) =>
      [...text.matchAll(/\b(?:from|import)\s*\(?\s*["']([^"'\s]+)["']/g)].map(([, name = '']) => name),
    );
    expect(imported).toContain('node:fs');
    expect(imported.filter((name) => /^(?:@[\w-]+\/)?[\w-][\w./-]*$/.test(name))).toEqual([]);
  });

  it('is small', () => {
    const { size } = statSync(packed.tarball);
    const files = globSync(join(packed.directory, 'npm/dist/*'));
    const unpacked = files.reduce((sum, file) => sum + statSync(file).size, 0);
    console.log(`the package: ${kib(size)} packed, ${kib(unpacked)} in ${files.length} files`);
    expect(size).toBeLessThan(MAX_BYTES);
  });

  it('contains exactly the listed files', () => {
    const names = execFileSync('tar', ['-tzf', packed.tarball], { encoding: 'utf8' }).trim().split('\n');
    const others = names.filter((name) => !/^package\/dist\/[\w.-]+\.js$/.test(name)).sort();
    expect(others).toEqual(['package/LICENSE', 'package/README.md', 'package/package.json']);
  });

  it('starts outside of the repository', async () => {
    const program = join(elsewhere, 'waymark/dist/waymark.js');
    expect(await start([program, '--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect((await start([program, 'flow', 'list', '--help'])).stdout).toContain('waymark flow list');
    expect((await start([program, 'flow', 'lisst'])).status).toBe(2);
  });

  it('attests from there', async () => {
    await attestWith([join(elsewhere, 'waymark/dist/waymark.js')], 'by-package');
  });

  it('is installed by npm without a network', { timeout: 600_000 }, async () => {
    const prefix = join(elsewhere, 'prefix');
    const installed = await start(['npm', 'install', '--global', '--offline', '--prefix', prefix, packed.tarball]);
    expect(installed.status, installed.stderr).toBe(0);
    expect((await start([join(prefix, 'bin/waymark'), '--version'])).stdout).toBe(`${version}\n`);
  });
});

describe('checksums', () => {
  it('match the files, according to sha256sum', () => {
    const check = () => spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: packed.directory, encoding: 'utf8' });
    const { status, stdout } = check();
    expect(stdout.trim().split('\n')).toHaveLength(isFull ? 2 : 1);
    expect(status).toBe(0);
    const content = readFileSync(packed.tarball);
    writeFileSync(packed.tarball, content.subarray(1));
    expect(check().status).toBe(1);
    writeFileSync(packed.tarball, content);
  });
});

describe.runIf(isFull)('the single binary', () => {
  const binary = () => join(packed.directory, 'waymark-linux-x64');

  it('starts without Node', async () => {
    const alone = spawnSync(binary(), ['--version'], { cwd: elsewhere, env: {}, encoding: 'utf8' });
    expect(alone).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect((await start([binary(), 'flow', 'list', '--help'])).stdout).toContain('waymark flow list');
    console.log(`the binary: ${kib(statSync(binary()).size)}`);
  });

  it('attests', async () => {
    await attestWith([binary()], 'by-binary');
  });
});

describe('dependencies', () => {
  interface Manifest {
    readonly name: string;
    readonly version: string;
    readonly scripts?: Readonly<Record<string, string>>;
    readonly dependencies?: Readonly<Record<string, string>>;
  }
  const read = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

  /** Resolved as Node does, links included: those that a user of the sources installs. */
  function walk(folder: string, seen = new Map<string, string>()): Map<string, string> {
    for (const name of Object.keys(read(folder).dependencies ?? {})) {
      const found = resolveFrom(folder, name);
      if (seen.has(found)) continue;
      seen.set(found, name);
      walk(found, seen);
    }
    return seen;
  }

  function resolveFrom(folder: string, name: string): string {
    for (let at = folder; at !== '/'; at = join(at, '..')) {
      const place = join(at, 'node_modules', name);
      if (existsSync(place)) return realpathSync(place);
    }
    throw new Error(`${name} is not installed for ${folder}`);
  }

  it('have no install script', () => {
    const found = walk(join(ROOT, 'apps/cli'));
    const names = [...found.values()].sort();
    expect(names).toEqual(expect.arrayContaining(['commander', 'jq-wasm', 'yaml', 'zod', 'tar-stream', 'streamx']));
    const withScripts = [...found].filter(([folder]) => {
      const { scripts = {} } = read(folder);
      const runs = ['preinstall', 'install', 'postinstall'].some((script) => script in scripts);
      return runs || existsSync(join(folder, 'binding.gyp'));
    });
    expect(withScripts).toEqual([]);
    console.log(`dependencies of the command line: ${names.length}, none with an install script`);
  });
});

describe('a release', () => {
  const release = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'tools/release/build-release.ts'), ...args], { encoding: 'utf8' });

  it('is refused when the tag has another version', () => {
    const out = join(elsewhere, 'refused');
    const { status, stderr } = release(out, '--tag', 'v9.9.9', '--repository', 'https://git.example.com/acme/waymark');
    expect(status).toBe(1);
    expect(stderr).toContain(`the tag is v9.9.9, and the version ${version}: they must be the same`);
    expect(existsSync(out)).toBe(false);
  });

  it.runIf(isFull)('has all packages, with their repository', { timeout: 300_000 }, () => {
    const out = join(elsewhere, 'release');
    const from = 'https://git.example.com/acme/waymark';
    const { status, stderr } = release(out, '--tag', `v${version}`, '--repository', from, '--parts', 'npm');
    expect(status, stderr).toBe(0);
    const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8').trim().split('\n');
    expect(sums.map((line) => line.split('  ')[1])).toEqual(
      ['contract', 'client', 'cli'].map((name) => `waymark-${name}-${version}.tgz`),
    );
    for (const name of ['contract', 'client', 'cli']) {
      const manifest = execFileSync('tar', [
        '-xzOf',
        join(out, `waymark-${name}-${version}.tgz`),
        'package/package.json',
      ]).toString();
      expect(JSON.parse(manifest).repository).toEqual({ type: 'git', url: `git+${from}.git` });
    }
  });
});

describe('the workflow of releases', () => {
  interface Step {
    readonly uses?: string;
    readonly run?: string;
    readonly env?: Readonly<Record<string, string>>;
  }
  interface Workflow {
    readonly on: unknown;
    readonly permissions: unknown;
    readonly jobs: Readonly<Record<string, Job>>;
  }
  interface Job {
    readonly permissions: Readonly<Record<string, string>>;
    readonly needs?: string | readonly string[];
    readonly container?: { readonly image: string; readonly options?: string };
    readonly steps: readonly Step[];
  }
  const file = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
  const { on, permissions, jobs } = parse(file) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const runs = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

  it('starts with a tag, checks everything first, and publishes last', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ['check', undefined],
      ['build', 'check'],
      ['scan', 'build'],
      ['publish', ['check', 'build', 'scan']],
    ]);
  });

  it('lets only the tests mount file systems and create network namespaces', () => {
    expect(
      Object.entries(jobs).flatMap(([name, { container }]) => (container ? [{ name, ...container }] : [])),
    ).toEqual([{ name: 'check', image: 'debian:12', options: '--privileged' }]);
  });

  it('gives each job only the permissions that it needs', () => {
    expect(permissions).toEqual({});
    expect(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]))).toEqual({
      check: { contents: 'read' },
      build: { contents: 'read', 'id-token': 'write', attestations: 'write' },
      scan: { contents: 'read' },
      publish: { contents: 'write', 'id-token': 'write', packages: 'write' },
    });
  });

  it('pins every action to a commit', () => {
    const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
    expect(used.length).toBeGreaterThan(4);
    expect(used.filter((uses) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses))).toEqual([]);
    expect(file.match(/uses: .+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm)).toHaveLength(used.length);
  });

  it('puts no event data into a script', () => {
    expect(runs.filter((run) => run.includes('${{'))).toEqual([]);
  });

  it('runs existing programs', () => {
    const ours = runs.flatMap((run) => run.match(/(?:tools\/[\w/-]+\.ts|\.ci\/\w+)/g) ?? []);
    expect(ours).toEqual([
      '.ci/run',
      'tools/release/pin-engines.ts',
      'tools/release/build-release.ts',
      'tools/release/publish-release.ts',
      'tools/release/github-release.ts',
    ]);
    for (const path of ours) expect(existsSync(join(ROOT, path)), path).toBe(true);
  });

  it('builds with the Node version of the tests', () => {
    const [, tested] = /^node_version=(\S+)$/m.exec(readFileSync(join(ROOT, '.ci/install'), 'utf8')) ?? [];
    expect(tested).toBeDefined();
    expect([...file.matchAll(/node-version: (\S+)/g)].map(([, used]) => used)).toEqual([tested, tested]);
  });
});

function kib(bytes: number): string {
  return `${Math.round(bytes / 1024).toLocaleString('en')} KiB`;
}
