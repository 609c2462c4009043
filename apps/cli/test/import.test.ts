import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Artifact,
  type Attestation,
  attestSonar,
  type Environment,
  type Flow,
  getArtifact,
  getFlow,
  getSnapshot,
  listArtifacts,
  listAttestations,
  listAttestationTypes,
  listEnvironments,
  listFlows,
  listTrailAttestations,
  listTrails,
  postAttestationType,
  putFlow,
  type Snapshot,
} from '@waymark/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { compiled } from '../../../tools/services/compiled.ts';
import { TEMPLATE, trailOf } from '../../server/test/given/evidence.ts';
import { complaintsAbout, readCommands } from '../../server/test/guards/pages/shell.ts';
import { startApi, type TestApi } from '../../server/test/harness.ts';
import { addressOf, givenCli } from './given-cli.ts';
import { givenHistory } from './given-history.ts';
import { PATH_WITH_WAYMARK, startWaymark } from './given-process.ts';

const TRAILS = 8;
const ATTESTATIONS = TRAILS * 12;
const ATTACHED = TRAILS * 5;

const cwd = mkdtempSync(join(tmpdir(), 'waymark-import-test-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const source = await startApi();
const target = await startApi();
await givenHistory(source, { trails: TRAILS });
writeFileSync(join(cwd, 'key.txt'), `${source.org.keys.reader}\n`, { mode: 0o600 });

const FROM = ['--from-host', await addressOf(source), '--from-org', 'acme', '--from-token-file', 'key.txt'];
const env = { WAYMARK_HOST: await addressOf(target), WAYMARK_ORG: 'acme', WAYMARK_TOKEN: target.org.keys.admin };
const start = (...line: string[]) => startWaymark(['import', ...FROM, ...line], { env, cwd });

interface Report {
  kinds: { kind: string; found: number; carried: number; already_there: number; not_carried: number; failed: number }[];
  not_carried: { kind: string; reason: string; count: number }[];
  failed: { kind: string; reason: string; count: number; examples: string[] }[];
  limits: string[];
}
const reportOf = (stdout: string) => JSON.parse(stdout) as Report;
const countsOf = ({ kinds }: Report, kind: string) => kinds.find((one) => one.kind === kind);
const journalLength = async () => (await target.journal()).length;

it('a dry run reads both sides, says what would be carried, and records nothing', async () => {
  const before = await journalLength();
  const { code, stdout, stderr } = await start('--dry-run', '-o', 'json').ran;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('(dry run: nothing was recorded)') });
  expect(countsOf(reportOf(stdout), 'attestation')).toMatchObject({ found: ATTESTATIONS, carried: ATTESTATIONS });
  expect(countsOf(reportOf(stdout), 'attachment')).toMatchObject({ found: ATTACHED, carried: ATTACHED });
  expect(await journalLength()).toBe(before);
});

describe('an import that is killed twice', () => {
  const killAfter = async (entries: number) => {
    const { process, ran } = start('--state', 'state');
    await expect.poll(journalLength, { interval: 5 }).toBeGreaterThan(entries);
    process.kill('SIGKILL');
    expect((await ran).code).not.toBe(0);
  };

  it('continues, and in the end has carried everything once', async () => {
    const atFirst = await journalLength();
    await killAfter(atFirst + 30);
    const afterOne = await journalLength();
    await killAfter(afterOne + 40);
    const afterTwo = await journalLength();

    const { code, stdout, stderr } = await start('--state', 'state', '-o', 'json').ran;

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Flow shop: 8 trails') });
    expect(await journalLength()).toBeGreaterThan(afterTwo);
    const report = reportOf(stdout);
    expect(report.failed).toEqual([]);
    for (const [kind, found] of [
      ['attestation type', 1],
      ['flow', 2],
      ['trail', TRAILS + 1],
      ['artifact', TRAILS],
      ['attestation', ATTESTATIONS],
      ['attachment', ATTACHED],
      ['environment', 3],
    ] as const) {
      const counts = countsOf(report, kind);
      expect(counts).toMatchObject({ found, not_carried: 0, failed: 0 });
      // What was sent and not yet noted when the process died is found in the target.
      expect(counts?.already_there).toBeLessThanOrEqual(4);
      expect((counts?.carried ?? 0) + (counts?.already_there ?? 0)).toBe(found);
    }
    expect(countsOf(report, 'snapshot')).toMatchObject({ found: 3, carried: 2, not_carried: 1 });
    expect(report.not_carried).toEqual([
      expect.objectContaining({ kind: 'snapshot', count: 1, reason: expect.stringContaining('none in the past') }),
    ]);
    expect(report.limits.join('\n')).toMatch(/Times: .*Ids and authors: .*Verdicts: .*Snapshots: /s);
    expect(readdirSync(join(cwd, 'state'))).toEqual([]);
  });

  it('leaves two orgs with the same history', async () => {
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  it('keeps the original time, author, verdict and address of each attestation', async () => {
    const originals = new Map((await attestationsOf(source)).map((one) => [one.attestation_id, one]));
    const carried = await attestationsOf(target);
    expect(new Set(carried.map(({ annotations }) => annotations['imported_id'])).size).toBe(ATTESTATIONS);
    for (const { annotations, claimed_at, attestation_data } of carried) {
      const original = originals.get(String(annotations['imported_id']));
      expect(claimed_at).toBe(original?.created_at);
      expect(annotations).toMatchObject({
        imported_from: original?.html_url,
        original_author: original?.reported_by,
        original_verdict: original?.is_compliant ? 'compliant' : 'non-compliant',
        original_time: new Date((original?.created_at ?? 0) * 1000).toISOString(),
      });
      expect(attestation_data).toBeDefined();
    }
    const trail = await trailOf(target, 'tools', 'nightly');
    expect(trail.external_urls['imported_from']).toMatchObject({
      href: expect.stringMatching(/\/acme\/flows\/tools\/trails\/nightly$/),
      original_author: expect.any(String),
      original_time: expect.stringMatching(/^2026-03-01T/),
    });
    expect(trail.template.content).toContain('name: lint');
  });

  it('keeps the order of the trails', async () => {
    const names = async (api: TestApi) =>
      (await api.call(listTrails, { query: { flow: 'shop', per_page: '100' } })).body.data.map(({ name }) => name);
    expect(await names(target)).toEqual(await names(source));
  });

  it('changes nothing when it is run again', async () => {
    const before = await target.journal();
    const { code, stdout } = await start('--state', 'state', '-o', 'json').ran;
    expect(code).toBe(0);
    const { kinds, failed } = reportOf(stdout);
    expect(failed).toEqual([]);
    for (const { kind, found, carried, already_there, not_carried } of kinds) {
      expect({ kind, carried, already_there }).toEqual({ kind, carried: 0, already_there: found - not_carried });
    }
    expect(await target.journal()).toEqual(before);
  });

  it('reports in a table, with the reasons and the limits', async () => {
    const { stdout } = await start('--dry-run').ran;
    expect(stdout).toMatch(/^KIND +FOUND +TO CARRY +ALREADY THERE +NOT CARRIED +FAILED$/m);
    expect(stdout).toMatch(new RegExp(`^attestation +${ATTESTATIONS} +0 +${ATTESTATIONS} +0 +0$`, 'm'));
    expect(stdout).toMatch(/^ {2}snapshot \(1\): The target records a snapshot when it is reported, .*\[prod\]$/m);
    expect(stdout).toContain('\nLimits\n  Times: ');
  });
});

describe('a target that is in use', async () => {
  const org = await target.givenOrg('used');
  const cli = givenCli({ ...env, WAYMARK_ORG: org.name, WAYMARK_TOKEN: org.keys.admin });
  const ours = { params: { org: org.name }, key: org.keys.admin };
  const inTrail = { ...ours, params: { ...ours.params, flow_name: 'shop', trail_name: 'release-1' } };
  writeFileSync(join(cli.cwd, 'key.txt'), source.org.keys.reader);

  it('keeps what it has, and gets what it lacks', async () => {
    await target.call(putFlow, { ...ours, body: { name: 'tools', visibility: 'private' } });
    await target.call(putFlow, { ...ours, body: { name: 'shop', description: 'The shop', template: TEMPLATE } });
    const type = { name: 'coverage', type_schema: { type: 'object', required: ['branches'] } };
    await target.call(postAttestationType, { ...ours, body: type });
    // As a pipeline does that reports to both services.
    const sonar_results = { qualityGate: { status: 'OK' }, project: { key: 'shop' } };
    await target.call(attestSonar, { ...inTrail, body: { attestation_name: 'gate', sonar_results } });

    const { code, stdout, stderr } = await cli.run(['import', ...FROM, '-o', 'json']);

    const report = reportOf(stdout);
    expect(code).toBe(2);
    expect(countsOf(report, 'flow')).toMatchObject({ found: 2, carried: 1, not_carried: 1 });
    expect(countsOf(report, 'attestation')).toMatchObject({
      found: ATTESTATIONS,
      carried: ATTESTATIONS - TRAILS - 1,
      already_there: 1,
      failed: TRAILS,
    });
    expect(report.not_carried).toContainEqual({
      kind: 'flow',
      reason: 'The target has a flow of this name with another visibility; the import did not change it',
      count: 1,
      examples: ['tools'],
    });
    expect(report.not_carried).toContainEqual(expect.objectContaining({ kind: 'attestation type', count: 1 }));
    expect(report.failed).toEqual([
      {
        kind: 'attestation',
        reason: expect.stringContaining("'branches'"),
        count: TRAILS,
        examples: expect.arrayContaining(['shop/release-1 coverage']),
      },
    ]);
    expect(stderr).toContain('! attestation shop/release-1 coverage: ');
    const { body } = await target.call(getFlow, { ...ours, params: { ...ours.params, flow_name: 'shop' } });
    expect(body).toMatchObject({ tags: { team: 'web', tier: '1' } });
    const gates = await target.call(listTrailAttestations, {
      ...inTrail,
      params: { ...inTrail.params, attestation_name: 'gate' },
    });
    expect(gates.body).toHaveLength(1);
  });

  it('is not changed by the next run either', async () => {
    const before = await target.journal(org);
    expect((await cli.run(['import', ...FROM, '-q'])).code).toBe(2);
    expect(await target.journal(org)).toEqual(before);
  });
});

it('is described in docs/migrating.md with commands that work', async () => {
  const org = await target.givenOrg('reader-of-the-page');
  const [setting, ...commands] = await readCommands('migrating.md');
  expect(setting?.text).toMatch(/^export WAYMARK_FROM_TOKEN=/m);
  expect(commands.length).toBe(2);
  const variables = {
    ...compiled,
    WAYMARK_HOST: env.WAYMARK_HOST,
    WAYMARK_ORG: org.name,
    WAYMARK_TOKEN: org.keys.member,
    WAYMARK_FROM_HOST: await addressOf(source),
    WAYMARK_FROM_ORG: 'acme',
    WAYMARK_FROM_TOKEN: source.org.keys.reader,
  };
  const shell = { PATH: PATH_WITH_WAYMARK, HOME: cwd, GIT_CEILING_DIRECTORIES: tmpdir(), ...variables };
  expect(await complaintsAbout(commands, shell)).toEqual([]);
  expect((await target.journal(org)).length).toBeGreaterThan(ATTESTATIONS);
});

it('is interrupted by Ctrl-C with a report of what is done, and continues', async () => {
  const org = await target.givenOrg('interrupted');
  const own = { ...env, WAYMARK_ORG: org.name, WAYMARK_TOKEN: org.keys.admin };
  const { process, ran } = startWaymark(['import', ...FROM, '--state', 'own', '-o', 'json'], { env: own, cwd });
  await expect.poll(async () => (await target.journal(org)).length).toBeGreaterThan(30);
  process.kill('SIGINT');

  const { code, stdout, stderr } = await ran;

  expect({ code, stderr }).toEqual({
    code: 130,
    stderr: expect.stringContaining('Interrupted. Run the same command again: it continues where it stopped'),
  });
  const done = countsOf(reportOf(stdout), 'attestation')?.carried ?? 0;
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(ATTESTATIONS);
  const rest = await startWaymark(['import', ...FROM, '--state', 'own', '-o', 'json'], { env: own, cwd }).ran;
  expect(countsOf(reportOf(rest.stdout), 'attestation')).toMatchObject({ found: ATTESTATIONS, failed: 0 });
});

describe('an error names its side, and what to do', () => {
  const cli = givenCli(env);
  writeFileSync(join(cli.cwd, 'key.txt'), source.org.keys.reader);
  const run = (...line: string[]) => cli.run(['import', ...line]);

  it('a wrong key of the source', async () => {
    writeFileSync(join(cli.cwd, 'wrong.txt'), target.org.keys.reader);
    expect(await run(...FROM.slice(0, 4), '--from-token-file', 'wrong.txt')).toEqual({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(
        /^✕ The source http:\S+ refuses the key \(401\)\n {2}.+\n {2}fix: Check --from-host and --from-org, and give a valid key/m,
      ),
    });
  });

  it('an org that the key may not read', async () => {
    const { code, stderr } = await run(...FROM.slice(0, 2), '--from-org', 'nobody', '--from-token-file', 'key.txt');
    expect([code, stderr]).toEqual([4, expect.stringContaining('refuses the key (403)')]);
  });

  it('a source that cannot be reached', async () => {
    const { code, stderr } = await run('--from-host', 'http://127.0.0.1:9', ...FROM.slice(2));
    expect(code).toBe(7);
    expect(stderr).toContain('✕ The source http://127.0.0.1:9 cannot be reached\n');
    expect(stderr).toContain('fix: Check --from-host and the network. Run the same command again: it continues');
  });

  it('a key of the target that may not write', async () => {
    const reader = givenCli({ ...env, WAYMARK_TOKEN: target.org.keys.reader });
    writeFileSync(join(reader.cwd, 'key.txt'), source.org.keys.reader);
    const org = await target.givenOrg('unwritable');
    const { code, stderr } = await reader.run(['import', ...FROM], {
      env: { WAYMARK_ORG: org.name, WAYMARK_TOKEN: org.keys.reader },
    });
    expect([code, stderr]).toEqual([4, expect.stringContaining('(403)')]);
  });

  it('a source that is not named', async () => {
    expect((await run()).stderr).toBe('✕ --from-host is missing\n  fix: Add --from-host, or set WAYMARK_FROM_HOST\n');
    expect((await run(...FROM.slice(0, 2))).stderr).toContain('--from-org is missing');
    expect((await run(...FROM.slice(0, 4))).stderr).toBe(
      '✕ --from-token-file is missing\n' +
        '  fix: Add --from-token-file or --from-token, or set WAYMARK_FROM_TOKEN_FILE or WAYMARK_FROM_TOKEN\n',
    );
  });

  it('a source that is the target', async () => {
    const { code, stderr } = await run('--from-host', env.WAYMARK_HOST, ...FROM.slice(2));
    expect([code, stderr]).toEqual([2, expect.stringContaining('The source and the target are the same org')]);
  });

  it('a key on the command line is used, with a warning', async () => {
    const { stderr } = await run(...FROM.slice(0, 4), '--from-token', 'wmk_eneverToBeSeen');
    expect(stderr).toContain('! --from-token is visible in the process list; use WAYMARK_FROM_TOKEN instead');
    expect(stderr).not.toContain('eneverToBeSeen');
    const fromVariable = await cli.run(['import', ...FROM.slice(0, 4), '-q', '--dry-run'], {
      env: { WAYMARK_FROM_TOKEN: source.org.keys.reader },
    });
    expect(fromVariable).toMatchObject({ code: 0, stderr: '' });
  });
});

async function attestationsOf(api: TestApi): Promise<Attestation[]> {
  const found: Attestation[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query: Record<string, string> = { per_page: '100', ...(after && { after }) };
    const { body } = await api.call(listAttestations, { query });
    found.push(...body.data);
    after = body.pagination.next;
  }
  return found.reverse();
}

const OF_THE_IMPORT = /^(imported_|original_)/;

/** Everything of an org that an import carries, without what is new by nature: ids, times, authors. */
async function contentOf(api: TestApi) {
  const flows = (await api.call(listFlows)).body as Flow[];
  const trails = (await api.call(listTrails, { query: { per_page: '100' } })).body.data;
  const artifacts = (await api.call(listArtifacts, { query: { per_page: '100' } })).body;
  const environments = (await api.call(listEnvironments)).body as Environment[];
  const types = (await api.call(listAttestationTypes)).body;
  return {
    types: types.map(({ name, description, versions }) => ({
      name,
      description,
      versions: versions.map(({ timestamp: _, created_by: __, ...version }) => version),
    })),
    flows: flows.map(({ name, description, visibility, template, tags }) => ({
      name,
      description,
      visibility,
      template,
      tags,
    })),
    trails: await Promise.all(
      trails.map(async ({ flow_name, name }) => {
        const trail = await trailOf(api, flow_name, name);
        const { description, git_commit_info, origin_url, user_data, external_urls, template, compliance_state } =
          trail;
        const { imported_from: _, ...links } = external_urls;
        return {
          name,
          description,
          git_commit_info,
          origin_url,
          user_data,
          links,
          template: template.content,
          compliance_state,
        };
      }),
    ),
    artifacts: await Promise.all(
      artifacts.map(async ({ flow_name, trail_name, fingerprint }) => {
        const call = { params: { flow_name, fingerprint }, query: { trail: trail_name } };
        const one = (await api.call(getArtifact, call)).body as Artifact;
        const { filename, template_reference_name, git_commit, build_url, user_data, repo_info, state } = one;
        const annotations = own(one.annotations);
        return {
          trail_name,
          fingerprint,
          filename,
          template_reference_name,
          git_commit,
          build_url,
          user_data,
          repo_info,
          annotations,
          state,
        };
      }),
    ),
    attestations: (await attestationsOf(api)).map(contentOfAttestation),
    attachments: await Promise.all(
      (await attestationsOf(api)).filter(({ _links }) => _links['evidence']).map(({ _links }) => fileOf(api, _links)),
    ),
    environments: environments.map(({ name, type, description, tags, included_environments }) => ({
      name,
      type,
      description,
      tags,
      included_environments,
    })),
    running: await Promise.all(['prod', 'cluster'].map((name) => runningIn(api, name))),
  };
}

function contentOfAttestation(one: Attestation) {
  const { attestation_id: _, ...data } = one.attestation_data as Record<string, unknown>;
  return {
    trail: `${one.flow_name}/${one.trail_name}`,
    name: one.attestation_name,
    type: one.attestation_type,
    data,
    user_data: one.user_data,
    annotations: own(one.annotations),
    fingerprint: one.artifact_fingerprint,
    targets: one.target_artifacts,
    commit: one.git_commit_info,
    is_compliant: one.is_compliant,
    reasons: one.reasons,
    control: one.control,
    isOverride: one.overrides !== null,
    digest: one.evidence_archive_fingerprint,
    file: one.evidence_archive_path,
  };
}

function own(annotations: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !OF_THE_IMPORT.test(key)));
}

async function fileOf(api: TestApi, links: Attestation['_links']): Promise<unknown> {
  const url = new URL(links['evidence']?.href ?? '').pathname;
  return (await api.inject({ url, headers: { authorization: `Bearer ${api.org.keys.reader}` } })).body;
}

async function runningIn(api: TestApi, env_name: string) {
  const { body } = await api.call(getSnapshot, { params: { env_name, snapshot_expression: '-1' } });
  return (body as Snapshot).artifacts
    .filter(({ annotation }) => annotation.now > 0)
    .map(({ name, fingerprint, creationTimestamp, pods }) => ({ name, fingerprint, creationTimestamp, pods }));
}
