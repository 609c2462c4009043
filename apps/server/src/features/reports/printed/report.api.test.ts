import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allowArtifact, beginTrail, getEnvironmentReport, getTrailReport, renameEnvironment } from '@waymark/contract';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { attest, commit, fingerprint, givenArtifact, givenFlow, givenTrail } from '../../../../test/given/evidence.ts';
import { givenAttached, givenPolicy } from '../../../../test/given/policies.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { type Answer, noLog, startApi } from '../../../../test/harness.ts';
import { watchFreshness } from '../../environments/freshness.tasks.ts';

const api = await startApi();
const others = await api.givenOrg('others');
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>\n</main>\n<main>\n<style>*{}</style>`;
const HOUR = 60 * 60;
const DAY = 24 * HOUR;
/** PostgreSQL was started before, so that stale periods are detected. */
const START = Math.ceil(Date.now() / 1000 / DAY) * DAY + DAY;
let count = 0;

function goTo(hours: number): void {
  api.clock.now = new Date((START + hours * HOUR) * 1000);
}
const shown = (hours: number) =>
  `${new Date((START + hours * HOUR) * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

beforeEach(() => {
  count++;
  goTo(0);
});

/** The section as a reader sees it: one line per row, with bars between cells. */
function rowsOf(page: string, title: string): string[] {
  const [, section = ''] = page.split(`<h2>${title}</h2>`);
  const [body = ''] = (section.split('<h2>')[0] ?? '').split('</tbody>');
  return [...body.matchAll(/<tr>(<td.*?)<\/tr>/gs)].map(([, cells = '']) =>
    cells.split('</td>').slice(0, -1).map(visible).join(' | '),
  );
}

function visible(markup: string): string {
  const spaced = markup
    .replace(/<\/div>/g, '; ')
    .replace(/<\/dt>/g, ' ')
    .replace(/<[^>]*>/g, '');
  return spaced.replaceAll('&#39;', "'").replace(/\s+/g, ' ').replace(/; *$/, '').trim();
}

function trailReport(params: { flow_name: string; trail_name: string }, query: Record<string, string> = {}) {
  return api.call(getTrailReport, { params, query, key: api.org.keys.reader });
}

function environmentReport(name: string, query: Record<string, string> = {}) {
  return api.call(getEnvironmentReport, { params: { env_name: name }, query, key: api.org.keys.reader });
}

const TAGS =
  'html|head|meta|title|style|body|header|main|p|h1|h2|dl|dt|dd|div|table|thead|tbody|tr|th|td|span|code|bdi|time|' +
  'strong|details|summary|svg|rect|wbr';
const ATTRIBUTES =
  'lang|charset|name|content|http-equiv|class|role|aria-label|tabindex|data-label|datetime|scope|viewBox|' +
  'preserveAspectRatio|x|y|width|height';
const HARMLESS = new RegExp(`^<(!doctype html|/(${TAGS})|(${TAGS})( (${ATTRIBUTES})="[^"]*"| open)*/?)>$`);

/** Checks that it has only inert tags and attributes, a policy that allows the style alone, and the right digest. */
async function expectInert({ headers, body }: Answer<string>): Promise<void> {
  expect([...body.matchAll(/<[^>]*>/g)].map(([tag]) => tag).filter((tag) => !HARMLESS.test(tag))).toEqual([]);
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? [];
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(policy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`);
  expect(policy).not.toContain('unsafe');
  expect(headers['waymark-content-sha256']).toBe(await digestBySed(body));
  expect(body).toContain(`SHA-256 of the content: <code>${String(headers['waymark-content-sha256'])}</code>`);
}

/** Verifies the digest as the report describes. */
async function digestBySed(body: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'waymark-report-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'FILE'), body);
  const [, command = ''] = /To verify a saved file: <code>(.*)<\/code>/.exec(body) ?? [];
  const plain = command.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#39;', "'");
  return execFileSync('sh', ['-c', plain], { cwd: directory, encoding: 'utf8' }).slice(0, 64);
}

describe('the report of a trail', () => {
  it('has what the audit package has, on one page without links', async () => {
    const flow = `flow-${count}`;
    await givenFlow(api, flow);
    await givenTrail(api, flow, 't');
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    await attest(api, flow, 't', { attestation_name: 'lint', is_compliant: false });
    const answer = await trailReport({ flow_name: flow, trail_name: 't' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `inline; filename="trail-${flow}-t.html"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    await expectInert(answer);
    expect(answer.body).toContain(`<h1>Trail <bdi>t</bdi> of flow <bdi>${flow}</bdi></h1>`);
    expect(answer.body).toContain('<span class="verdict bad">✗ NON-COMPLIANT</span>');
    expect(visible(answer.body)).toContain(`created ${shown(0)} by reader at http://waymark.test`);
    expect(rowsOf(answer.body, 'Artifacts')[0]).toMatch(
      new RegExp(
        `^app-a.tgz; [0-9a-f]{12} \\| ✗ NON-COMPLIANT; counts \\| ${fingerprint('a')} \\| backend \\| ${commit('a')}`,
      ),
    );
    expect(rowsOf(answer.body, 'Attestations')[0]).toMatch(/^lint; generic; [0-9a-f]{12} \| ✗ NON-COMPLIANT; counts/);
    expect(rowsOf(answer.body, 'Requirements')).toContainEqual('the trail | ticket | jira | ○ MISSING | ');
    expect(rowsOf(answer.body, 'History')).toHaveLength(3);
    expect(answer.body).not.toContain('<details><summary>');
  });

  it('has the same digest until something changes, whoever makes it and when', async () => {
    const flow = `flow-${count}`;
    await givenFlow(api, flow);
    await givenTrail(api, flow, 't');
    const call = { params: { flow_name: flow, trail_name: 't' } };
    const first = await api.call(getTrailReport, call);
    goTo(5);
    const second = await api.call(getTrailReport, { ...call, key: api.org.keys.reader });
    expect(second.headers['waymark-content-sha256']).toBe(first.headers['waymark-content-sha256']);
    await attest(api, flow, 't', { attestation_name: 'lint', is_compliant: true });
    const third = await api.call(getTrailReport, call);
    expect(third.headers['waymark-content-sha256']).not.toBe(first.headers['waymark-content-sha256']);
  });

  it('is inert whatever names and texts hold', async () => {
    const flow = `flow-${count}`;
    await givenFlow(api, flow, 'version: 1\ntrail: {}\n');
    await api.call(beginTrail, { params: { flow_name: flow }, body: { name: 't', description: HOSTILE } });
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend', filename: HOSTILE });
    await attest(api, flow, 't', { attestation_name: 'lint', is_compliant: true, user_data: { HOSTILE } });
    const answer = await trailReport({ flow_name: flow, trail_name: 't' });
    expect(answer.body.split('&lt;script&gt;alert(2)').length).toBeGreaterThan(2);
    await expectInert(answer);
  });

  it('is refused for unknown trails, other orgs and other formats', async () => {
    const call = { params: { flow_name: 'none', trail_name: 't' } };
    expect((await api.call(getTrailReport, call)).status).toBe(404);
    expect((await api.call(getTrailReport, { ...call, key: others.keys.admin })).status).toBe(403);
    const answer = await trailReport(call.params, { format: 'docx' });
    expect(answer).toMatchObject({ status: 400, body: { errors: { 'query.format': expect.any(String) } } });
  });
});

describe('the report of an environment', () => {
  const task = watchFreshness(noLog, () => api.clock.now);

  /** From the first to the fourteenth hour: two breaches, a stale period, and two policies. */
  async function givenPast(name: string): Promise<void> {
    const flow = `flow-${count}`;
    await givenFlow(api, flow, 'version: 1\ntrail: {}\n');
    await givenTrail(api, flow, 't');
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    await givenPolicy(api, `first-${count}`);
    await givenPolicy(api, `second-${count}`);
    await givenEnvironment(api, name, 'server', { expected_report_interval_s: 2 * HOUR });
    await givenAttached(api, name, [`first-${count}`]);
    goTo(1);
    await givenRunning(api, name, { app: 'a' });
    goTo(2);
    await givenRunning(api, name, { app: 'b' });
    goTo(3);
    const body = { artifact_fingerprint: fingerprint('b'), artifact_name: 'app', description: 'Hotfix' };
    await api.call(allowArtifact, { params: { env_name: name }, body });
    goTo(4);
    await givenRunning(api, name, { app: 'c' });
    goTo(6);
    await givenRunning(api, name, { app: 'a' });
    goTo(7);
    await givenAttached(api, name, [`second-${count}`]);
    goTo(9);
    await task.run(api.db);
    goTo(12);
    await givenRunning(api, name, { app: 'a', api: 'a' });
    await task.run(api.db);
    goTo(14);
  }

  const reason = (digit: string) =>
    `app: Policy 'first-${count}' requires provenance. No flow has reported artifact ${digit.repeat(12)}, so it has no provenance.`;

  it('shows states and their length, reasons, and what ended them', async () => {
    const name = `prod-${count}`;
    await givenPast(name);
    const answer = await environmentReport(name, { from: String(START), to: String(START + 14 * HOUR) });
    expect(answer.status).toBe(200);
    const day = shown(0).slice(0, 10);
    expect(answer.headers['content-disposition']).toBe(`inline; filename="environment-${name}-${day}-${day}.html"`);
    await expectInert(answer);
    const page = answer.body;
    expect(visible(page)).toContain(`✓ COMPLIANT now, since ${shown(6)}`);
    expect(visible(page)).toContain(`Period ${shown(0)} to ${shown(14)} (14 h)`);
    expect(rowsOf(page, 'Compliance over time')).toEqual([
      'Compliant | 6 h | 46.15 % | 66.67 %',
      'Not compliant | 3 h | 23.08 % | 33.33 %',
      'Not judged | 0 s | 0 % | 0 %',
      'Unknown: a report was overdue | 4 h | 30.77 % | –',
    ]);
    expect(visible(page)).toContain(`The first report arrived at ${shown(1)}. The time before it is not counted.`);
    expect(rowsOf(page, 'Periods of non-compliance')).toEqual([
      `${shown(4)} | 2 h | ${reason('c')} | ${shown(6)} by a report; app left`,
      `${shown(2)} | 1 h | ${reason('b')} | ${shown(3)} by a change of waivers; app was waived. Waived by acme-admin: Hotfix`,
    ]);
    expect(rowsOf(page, 'Attached policies')).toEqual([
      `first-${count} version 1 | ${shown(1)}; until the end of the period | ${shown(0)} by member`,
      `second-${count} version 1 | ${shown(7)}; until the end of the period | ${shown(0)} by member`,
    ]);
    const provenance = `flow flow-${count}; trail t; commit ${commit('a')}`;
    expect(rowsOf(page, 'Running artifacts')).toEqual([
      `api; ${fingerprint('a')} | ${provenance} | ${shown(12)}; until the end of the period | ✓ COMPLIANT`,
      `app; ${fingerprint('a')} | ${provenance} | ${shown(6)}; until the end of the period | ✓ COMPLIANT`,
      `app; ${fingerprint('c')} | unknown | ${shown(4)}; until ${shown(6)} | ✗ NON-COMPLIANT`,
      `app; ${fingerprint('b')} | unknown | ${shown(2)}; until ${shown(4)} | ✗ NON-COMPLIANT from ${shown(2)}; ○ WAIVED from ${shown(3)}`,
      `app; ${fingerprint('a')} | ${provenance} | ${shown(1)}; until ${shown(2)} | ✓ COMPLIANT`,
    ]);
    expect(rowsOf(page, 'Waivers')).toEqual([
      `app; ${fingerprint('b')} | Hotfix | ${shown(3)}; by acme-admin | not yet`,
    ]);
    expect(rowsOf(page, 'Overdue reports')).toEqual([`${shown(8)}; until ${shown(12)} | 4 h`]);
    expect(page.match(/<rect class="is-non-compliant"/g)).toHaveLength(2);
  });

  it('shows a part of the period, with the time when states began', async () => {
    const name = `part-${count}`;
    await givenPast(name);
    const { body: page } = await environmentReport(name, {
      from: String(START + 5 * HOUR),
      to: String(START + 5.5 * HOUR),
    });
    expect(rowsOf(page, 'Periods of non-compliance')).toEqual([
      `${shown(4)} | 30 min | ${reason('c')} | Not ended within the period.`,
    ]);
    expect(rowsOf(page, 'Running artifacts')).toEqual([
      `app; ${fingerprint('c')} | unknown | ${shown(4)}; until the end of the period | ✗ NON-COMPLIANT`,
    ]);
    expect(rowsOf(page, 'Compliance over time')[1]).toBe('Not compliant | 30 min | 100 % | 100 %');
    expect(rowsOf(page, 'Overdue reports')).toEqual([]);
  });

  it('covers the last 30 days by default, and ends now at the latest', async () => {
    const name = `month-${count}`;
    await givenEnvironment(api, name);
    const { body: page } = await environmentReport(name, { from: '', to: String(START + 400 * DAY) });
    expect(visible(page)).toContain(`Period ${shown(-30 * 24)} to ${shown(0)} (30 d)`);
    expect(visible(page)).toContain('○ UNKNOWN No report has arrived yet.');
    expect(visible(page)).toContain('No report arrived before the end of the period, so no time is counted.');
    expect(rowsOf(page, 'Compliance over time')).toEqual([]);
  });

  it('says when the environment is stale now', async () => {
    const name = `quiet-${count}`;
    await givenEnvironment(api, name, 'server', { expected_report_interval_s: HOUR });
    await givenRunning(api, name, { app: 'a' });
    goTo(3);
    const { body: page } = await environmentReport(name);
    expect(visible(page)).toContain(`UNKNOWN now. Stale: a report has been overdue since ${shown(1)}.`);
    expect(rowsOf(page, 'Overdue reports')).toEqual([`${shown(1)}; until the end of the period | 2 h`]);
  });

  it('says when it is truncated, and where the rest is', async () => {
    const name = `large-${count}`;
    await givenEnvironment(api, name);
    const many = Array.from({ length: 1_001 }, (_, i) => [`app-${i}`, hash('sha256', `artifact ${i}`)]);
    await givenRunning(api, name, Object.fromEntries(many) as Record<string, string>);
    goTo(1);
    const { body: page } = await environmentReport(name);
    expect(rowsOf(page, 'Running artifacts')).toHaveLength(1_000);
    expect(visible(page)).toContain(
      `The newest 1000 of 1001; the audit log as CSV, http://waymark.test/api/v2/environments/acme/${name}/auditlog?from_timestamp=`,
    );
  });

  it('is inert whatever names and texts hold, and is found by an old name', async () => {
    const name = `hostile-${count}`;
    await givenEnvironment(api, name, 'server', { description: HOSTILE });
    await givenPolicy(api, `policy-${count}`);
    await givenAttached(api, name, [`policy-${count}`]);
    await givenRunning(api, name, { [HOSTILE.replaceAll('\n', ' ')]: 'b' });
    goTo(1);
    const body = { artifact_fingerprint: fingerprint('b'), artifact_name: HOSTILE, description: HOSTILE };
    await api.call(allowArtifact, { params: { env_name: name }, body });
    await api.call(renameEnvironment, { params: { env_name: name }, body: { new_name: `new-${name}` } });
    goTo(2);
    const answer = await environmentReport(name);
    expect(answer.body.split('&lt;script&gt;alert(2)').length).toBeGreaterThan(4);
    expect(answer.body).toContain(`<h1>Environment <bdi>new-${name}</bdi></h1>`);
    await expectInert(answer);
  });

  it('is refused with the reason', async () => {
    const name = `refused-${count}`;
    await givenEnvironment(api, name);
    await givenEnvironment(api, `all-${count}`, 'logical', { included_environments: [name] });
    const params = { env_name: name };
    expect((await api.call(getEnvironmentReport, { params: { env_name: 'none' } })).status).toBe(404);
    expect((await api.call(getEnvironmentReport, { params, key: others.keys.admin })).status).toBe(403);
    const from = (seconds: number) => ({ from: String(START + seconds) });
    for (const [query, field, reason] of [
      [{ from: 'yesterday' }, 'query.from', 'must be seconds since 1970'],
      [{ to: '1e15' }, 'query.to', 'must be seconds since 1970'],
      [from(0), 'query.from', 'must be before the end of the period, which cannot be in the future'],
      [from(-401 * DAY), 'query.from', 'must be at most 400 days before the end of the period'],
      [
        { format: 'pdf' },
        'query.format',
        'cannot be pdf: the operator of this installation has not set WAYMARK_CHROMIUM. Use html and print it from a browser',
      ],
    ] as [Record<string, string>, string, string][]) {
      const answer = await environmentReport(name, query);
      expect(answer).toMatchObject({ status: 400, body: { errors: { [field]: expect.stringContaining(reason) } } });
    }
    const logical = await environmentReport(`all-${count}`);
    expect(logical).toMatchObject({ status: 400, body: { errors: { env_name: expect.stringContaining(name) } } });
  });
});
