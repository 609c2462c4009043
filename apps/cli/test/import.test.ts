import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Artifact,
  type Attestation,
  type Environment,
  type Flow,
  getArtifact,
  getSnapshot,
  listArtifacts,
  listAttestations,
  listAttestationTypes,
  listEnvironments,
  listFlows,
  listTrails,
  type Snapshot,
} from '@waymark/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { trailOf } from '../../server/test/given/evidence.ts';
import { startApi, type TestApi } from '../../server/test/harness.ts';
import { addressOf } from './given-cli.ts';
import { givenHistory } from './given-history.ts';
import { startWaymark } from './given-process.ts';

const TRAILS = 12;
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

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Flow shop: 12 trails') });
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

  it('changes nothing when it is run again, with the state or without it', async () => {
    const before = await target.journal();
    for (const state of ['state', 'another']) {
      const { code, stdout } = await start('--state', state, '-o', 'json').ran;
      expect(code).toBe(0);
      const { kinds, failed } = reportOf(stdout);
      expect(failed).toEqual([]);
      for (const { kind, found, carried, already_there, not_carried } of kinds) {
        expect({ kind, carried, already_there }).toEqual({ kind, carried: 0, already_there: found - not_carried });
      }
    }
    expect(await target.journal()).toEqual(before);
  });

  it('reports in a table, with the reasons and the limits', async () => {
    const { stdout } = await start().ran;
    expect(stdout).toMatch(/^KIND +FOUND +CARRIED +ALREADY THERE +NOT CARRIED +FAILED$/m);
    expect(stdout).toMatch(new RegExp(`^attestation +${ATTESTATIONS} +0 +${ATTESTATIONS} +0 +0$`, 'm'));
    expect(stdout).toMatch(/^ {2}snapshot \(1\): The target records a snapshot when it is reported, .*\[prod\]$/m);
    expect(stdout).toContain('\nLimits\n  Times: ');
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
