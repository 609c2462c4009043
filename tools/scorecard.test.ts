import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, globSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

/** What OpenSSF Scorecard checks and a repository can answer without its forge: https://scorecard.dev. */

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(ROOT, path)));

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly container?: { readonly image: string };
  readonly permissions?: unknown;
  readonly steps: readonly Step[];
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

const workflows = globSync('.github/workflows/*.{yml,yaml}', { cwd: ROOT }).map((path) => ({
  path,
  workflow: parse(read(path)) as Workflow,
}));
const steps = workflows.flatMap(({ workflow }) => Object.values(workflow.jobs).flatMap((job) => job.steps));

/** A digest could not be looked up without a registry. */
const IMAGES_BY_TAG = ['debian:12'];

describe('Pinned-Dependencies', () => {
  it('runs actions by commit, and images by digest except those that are listed', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((uses) => !/@[0-9a-f]{40}$/.test(uses))).toEqual([]);
    const images = workflows.flatMap(({ workflow }) =>
      Object.values(workflow.jobs).flatMap(({ container }) => container?.image ?? []),
    );
    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual(IMAGES_BY_TAG);
  });

  it('names one version of every package of npm, Python and Debian, by digest where the tool can', () => {
    const python = tracked
      .filter((path) => path.endsWith('requirements.txt'))
      .flatMap((path) => read(path).trim().split('\n'));
    expect(python.filter((line) => !/^[\w.-]+==[\w.]+( |$)/.test(line) && !/^\s+--hash=/.test(line))).toEqual([]);
    for (const path of tracked.filter((name) => name.endsWith('package-lock.json'))) {
      const { packages } = JSON.parse(read(path)) as { packages: Record<string, { integrity?: string }> };
      const { '': root, ...others } = packages;
      expect(root).toBeDefined();
      expect(Object.entries(others).filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
    }
    expect(read('pnpm-lock.yaml')).not.toMatch(/resolution: \{(?!integrity: sha512-|directory:)/);
  });
});

describe('Dependency-Update-Tool', () => {
  /** Files that pin dependencies, by the ecosystem of Dependabot that reads them. */
  const MANIFESTS: Readonly<Record<string, RegExp>> = {
    npm: /^(?:pnpm-lock\.yaml|.*package-lock\.json)$/,
    'github-actions': /^\.github\/workflows\//,
    docker: /(?:^|\/)(?:Dockerfile|Containerfile)$/,
    gomod: /(?:^|\/)go\.mod$/,
    pip: /(?:^|\/)requirements\.txt$/,
  };
  const { version, updates } = parse(read('.github/dependabot.yml')) as {
    readonly version: number;
    readonly updates: readonly {
      readonly 'package-ecosystem': string;
      readonly directories: readonly string[];
      readonly schedule: { readonly interval: string };
      readonly cooldown: { readonly 'default-days': number };
    }[];
  };

  it('updates every file that pins dependencies, and names no folder without one', () => {
    expect(version).toBe(2);
    const named = updates.map(({ 'package-ecosystem': ecosystem, directories }) => [ecosystem, directories.toSorted()]);
    const found = Object.entries(MANIFESTS).map(([ecosystem, manifest]) => {
      const folders = tracked.filter((path) => manifest.test(path)).map((path) => folderOf(ecosystem, path));
      return [ecosystem, [...new Set(folders)].toSorted()];
    });
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(found));
    expect(named).toHaveLength(found.length);
  });

  it('looks every week, for versions as old as pnpm asks for', () => {
    const { minimumReleaseAge } = parse(read('pnpm-workspace.yaml')) as { minimumReleaseAge: number };
    for (const { schedule, cooldown } of updates) {
      expect(schedule.interval).toBe('weekly');
      expect(cooldown['default-days'] * 24 * 60).toBe(minimumReleaseAge);
    }
  });

  /** Dependabot finds workflows from the root. */
  function folderOf(ecosystem: string, path: string): string {
    return ecosystem === 'github-actions' ? '/' : join('/', dirname(path));
  }
});

describe('Token-Permissions and Dangerous-Workflow', () => {
  it('gives a workflow no permission as a whole, and each job its own', () => {
    for (const { path, workflow } of workflows) {
      expect(workflow.permissions, path).toEqual({});
      for (const [job, { permissions }] of Object.entries(workflow.jobs)) expect(permissions, job).toBeTypeOf('object');
    }
  });

  it('starts for nobody who cannot push, and puts no text of others into a script', () => {
    for (const { path, workflow } of workflows) {
      const risky = Object.keys(workflow.on).filter((event) => ['pull_request_target', 'workflow_run'].includes(event));
      expect(risky, path).toEqual([]);
    }
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });
});

describe('Binary-Artifacts', () => {
  const PROGRAMS: Readonly<Record<string, string>> = {
    '7f454c46': 'ELF',
    '4d5a': 'Windows',
    cafebabe: 'Java',
    '0061736d': 'WebAssembly',
    cffaedfe: 'macOS',
  };

  it('contains no program that nobody can read', () => {
    const found = tracked.filter((path) => {
      const start = firstBytes(join(ROOT, path));
      return Object.keys(PROGRAMS).some((magic) => start.startsWith(magic));
    });
    expect(found).toEqual([]);
    expect(firstBytes(process.execPath).startsWith('7f454c46')).toBe(true);
  });
});

describe('Security-Policy, License, SBOM and Signed-Releases', () => {
  it('says how to report a weakness, and under which license it is', () => {
    expect(read('SECURITY.md')).toMatch(/Report a\svulnerability/);
    expect(read('LICENSE')).toContain('Apache License');
  });

  it('publishes signatures, provenance and SBOMs beside every file', () => {
    const published = read('tools/release/github-release.ts');
    expect(published).toContain('SUMS_BUNDLE, PROVENANCE_BUNDLE');
    expect(read('tools/release/build-release.ts')).toContain('writeSboms(out)');
  });

  it('explains each finding that does not apply, as OpenVEX asks', () => {
    const { '@context': context, author, statements } = JSON.parse(read('security/vex.openvex.json'));
    expect(context).toBe('https://openvex.dev/ns/v0.2.0');
    expect(author).toBe('Waymark');
    for (const { status, justification, impact_statement: impact, vulnerability, products } of statements) {
      expect(vulnerability.name).toMatch(/^(CVE|GHSA)-/);
      expect(products.length).toBeGreaterThan(0);
      expect(status !== 'not_affected' || justification !== undefined || impact !== undefined).toBe(true);
    }
  });
});

function firstBytes(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    const size = readSync(file, bytes);
    return bytes.subarray(0, size).toString('hex');
  } finally {
    closeSync(file);
  }
}
