import {
  allowArtifact,
  archiveEnvironment,
  attestOverride,
  beginTrail,
  deleteEnvironmentNotification,
  detachPolicies,
  environmentTriggers,
  flowTriggers,
  renameEnvironment,
} from '@waymark/contract';
import { webhookBody } from '@waymark/messages';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { environmentOf, givenEnvironment, givenHeartbeat } from '../../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow, givenTrail } from '../../../../test/given/evidence.ts';
import { givenFlowNotification, givenNotification } from '../../../../test/given/notifications.ts';
import { givenPlanner, messagesTo, sendersTo } from '../../../../test/given/planner.ts';
import { givenAttached, givenPolicy } from '../../../../test/given/policies.ts';
import { givenReport } from '../../../../test/given/reports.ts';
import { givenRunning, reevaluateAll } from '../../../../test/given/runs.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import { openDb } from '../../../platform/db/db.ts';
import { eraseEntry } from '../../../platform/journal/erase.ts';
import type { Entry } from '../../../platform/journal/processor.ts';
import { watchFreshness } from '../../environments/freshness.tasks.ts';
import { notificationProcessor } from './notification.processor.ts';

const api = await startApi();
const { plan, pass, forget } = await givenPlanner(api);
const all = { triggers: [...environmentTriggers] };
const everything = { triggers: [...flowTriggers] };

/** PostgreSQL may just have been started, and the worker has been up for an hour. */
api.clock.now = new Date(Math.ceil(Date.now() / 1000) * 1000 + 24 * 3600_000);
const freshness = watchFreshness(noLog, () => api.clock.now);
beforeEach(() => pass(3600));

const OPEN_FLOW = 'version: 1\n';

it('sends what starts, exits and is scaled, with its provenance', async () => {
  await givenFlow(api, 'web', OPEN_FLOW);
  await givenArtifact(api, 'web', 'a', { trail_name: 't1' });
  await givenEnvironment(api, 'prod');
  const notification = await givenNotification(api, 'prod-all', ['prod'], all);
  await givenReport(api, 'prod', [['web', fingerprint('a')]]);
  await plan();
  await pass(20);
  await givenReport(api, 'prod', [
    ['web', fingerprint('a')],
    ['web', fingerprint('a')],
    ['api', fingerprint('b')],
  ]);
  await plan();
  await pass(20);
  await givenReport(api, 'prod', []);
  await plan();
  expect(await messagesTo(api, notification)).toEqual([
    'web started in prod',
    'api started in prod',
    'web scaled in prod from 1 to 2 instances',
    '2 artifacts exited in prod: api and web',
  ]);
  const [first, second, scaled, last] = await sendersTo(api, notification);
  expect(first).toMatchObject({
    sequence: 1,
    count: 1,
    scope_id: (await environmentOf(api, 'prod')).id,
    content: {
      environment: 'prod',
      snapshot: { index: 1, status: 'unknown' },
      artifact: {
        name: 'web',
        fingerprint: fingerprint('a'),
        compliant: null,
        provenance: {
          flow: 'web',
          trail: 't1',
          commit: 'a'.repeat(40),
          commitUrl: `https://git.example.com/${'a'.repeat(40)}`,
          buildUrl: 'https://ci.example.com/1',
        },
      },
    },
  });
  expect(second?.content.artifact).toMatchObject({ name: 'api', provenance: null });
  expect(scaled?.content.artifact?.provenance).toEqual(first?.content.artifact?.provenance);
  expect(last).toMatchObject({ sequence: 4, count: 2, content: { snapshot: { index: 3 } } });
  expect(last?.content.artifacts).toEqual([
    { name: 'api', fingerprint: fingerprint('b'), compliant: null },
    { name: 'web', fingerprint: fingerprint('a'), compliant: null },
  ]);
});

it('names the artifacts of a burst, distinguishes those with one name, and has the compliance of each', async () => {
  await givenFlow(api, 'apart', OPEN_FLOW);
  await givenPolicy(api, 'apart');
  await givenArtifact(api, 'apart', 'a', { trail_name: 't1' });
  await givenEnvironment(api, 'apart');
  await givenAttached(api, 'apart', ['apart']);
  const notification = await givenNotification(api, 'apart', ['apart'], {
    triggers: ['ON_STARTED_ARTIFACT', 'ON_EXITED_ARTIFACT'],
  });
  await givenReport(api, 'apart', [
    ['web', fingerprint('a')],
    ['web', fingerprint('b')],
  ]);
  await givenReport(api, 'apart', []);
  await plan();
  expect(await messagesTo(api, notification)).toEqual([
    expect.stringMatching(
      /^2 artifacts started in apart: web \(b{12}\) and web \(a{12}\)\. web \(b{12}\) is not compliant: Policy 'apart' /,
    ),
    '2 artifacts exited in apart: web (aaaaaaaaaaaa) and web (bbbbbbbbbbbb)',
  ]);
  const [started, exited] = await sendersTo(api, notification);
  const good = { name: 'web', fingerprint: fingerprint('a'), compliant: true };
  const bad = { name: 'web', fingerprint: fingerprint('b'), compliant: false };
  expect(started?.content.artifacts?.toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))).toEqual([good, bad]);
  expect(exited?.content.artifacts).toEqual([good, bad]);
});

it('sends changes of instances, whether or not they make a snapshot', async () => {
  for (const include_scaling of [true, false]) {
    const env = `scaled-${include_scaling}`;
    await givenEnvironment(api, env, 'server', { include_scaling });
    const notification = await givenNotification(api, env, [env], { triggers: ['ON_SCALED_ARTIFACT'] });
    await givenReport(api, env, [['web', fingerprint('a')]]);
    await givenReport(
      api,
      env,
      Array.from({ length: 3 }, () => ['web', fingerprint('a')]),
    );
    await plan();
    expect(await messagesTo(api, notification)).toEqual([`web scaled in ${env} from 1 to 3 instances`]);
  }
});

it('sends why an environment is non-compliant, that it is compliant again, and that it has no policies any more', async () => {
  await givenFlow(api, 'origin', OPEN_FLOW);
  await givenEnvironment(api, 'judged');
  await givenPolicy(api, 'origin');
  const notification = await givenNotification(api, 'judged', ['judged'], {
    triggers: ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'],
  });
  await givenRunning(api, 'judged', { web: 'c', api: 'd' });
  await plan();
  expect(await messagesTo(api, notification)).toEqual([]);
  await givenAttached(api, 'judged', ['origin']);
  await plan();
  await givenArtifact(api, 'origin', 'c', { trail_name: 't1' });
  await reevaluateAll(api, 'judged');
  await plan();
  await givenArtifact(api, 'origin', 'd', { trail_name: 't1' });
  await reevaluateAll(api, 'judged');
  await plan();
  await givenRunning(api, 'judged', { web: 'c', api: 'e' });
  await plan();
  await givenRunning(api, 'judged', { web: 'c' });
  await plan();
  await api.call(detachPolicies, { params: { env_name: 'judged' }, body: { policy_names: ['origin'] } });
  await plan();
  expect(await messagesTo(api, notification)).toEqual([
    expect.stringMatching(
      /^judged is not compliant: api: Policy 'origin' .* And 1 more artifact is not compliant\. What to do: Report /,
    ),
    'judged is compliant again now that the provenance of its artifacts is known',
    expect.stringMatching(/^judged is not compliant: api: Policy 'origin' .* What to do: Report /),
    'judged is compliant again after the latest report',
    'judged is not compliant: no policy is attached anymore, so nothing is judged',
  ]);
  const messages = await sendersTo(api, notification);
  expect(messages.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  expect(messages[0]?.content).toMatchObject({
    snapshot: { status: 'non-compliant' },
    artifact: { name: 'api', fingerprint: fingerprint('d'), compliant: false },
    names: ['api', 'web'],
  });
});

it('explains why what starts is non-compliant, and names who added a waiver', async () => {
  await givenEnvironment(api, 'strict');
  await givenPolicy(api, 'strict-origin');
  await givenAttached(api, 'strict', ['strict-origin']);
  const notification = await givenNotification(api, 'strict', ['strict'], {
    triggers: ['ON_STARTED_ARTIFACT', 'ON_ALLOWED_ARTIFACT', 'ON_COMPLIANT_ENV'],
  });
  await givenRunning(api, 'strict', { web: 'f' });
  await plan();
  const body = { artifact_fingerprint: fingerprint('f'), artifact_name: 'web', description: 'Hotfix' };
  await api.call(allowArtifact, { params: { env_name: 'strict' }, body });
  await plan();
  await pass(20);
  await givenRunning(api, 'strict', {});
  await givenRunning(api, 'strict', { web: 'f' });
  await plan();
  expect(await messagesTo(api, notification)).toEqual([
    expect.stringMatching(/^web started in strict and is not compliant: Policy 'strict-origin' .* What to do: Report /),
    'web got a waiver in strict: granted by acme-admin: Hotfix',
    'strict is compliant again after a waiver changed',
    'web started in strict: Waived by acme-admin: Hotfix',
  ]);
  const [, allowed] = await sendersTo(api, notification);
  expect(allowed?.content).toMatchObject({ snapshot: null, artifact: { name: 'web', compliant: true } });
});

it('sends that a compliant environment went stale, and that it reports again', async () => {
  await givenFlow(api, 'quiet', OPEN_FLOW);
  await givenPolicy(api, 'quiet');
  await givenArtifact(api, 'quiet', '1', { trail_name: 't1' });
  for (const name of ['quiet', 'quiet-red']) {
    await givenEnvironment(api, name, 'server', { expected_report_interval_s: 60 });
    await givenAttached(api, name, ['quiet']);
  }
  const notification = await givenNotification(api, 'quiet', ['quiet'], all);
  const red = await givenNotification(api, 'quiet-red', ['quiet-red'], all);
  await givenRunning(api, 'quiet', { web: '1' });
  await givenRunning(api, 'quiet-red', { web: '2' });
  await plan();
  const before = [(await messagesTo(api, notification)).length, (await messagesTo(api, red)).length];
  const heard = api.clock.now;
  await pass(3600);
  await freshness.run(api.db);
  await plan();
  await givenHeartbeat(api, 'quiet', api.clock.now);
  await givenHeartbeat(api, 'quiet-red', api.clock.now);
  await freshness.run(api.db);
  await plan();
  const since = heard.toISOString().slice(0, 16).replace('T', ' ');
  expect((await messagesTo(api, notification)).slice(before[0])).toEqual([
    `quiet is not compliant: no report has arrived since ${since} UTC`,
    expect.stringMatching(/^quiet is compliant again: it resumed reporting after a gap since .* UTC$/),
  ]);
  expect((await messagesTo(api, red)).slice(before[1])).toEqual([]);
});

it('does not call a stale environment compliant before it reports again, and then once', async () => {
  await givenFlow(api, 'mute', OPEN_FLOW);
  await givenPolicy(api, 'mute');
  await givenEnvironment(api, 'mute', 'server', { expected_report_interval_s: 60 });
  await givenAttached(api, 'mute', ['mute']);
  await givenRunning(api, 'mute', { web: '3' });
  const notification = await givenNotification(api, 'mute', ['mute'], { triggers: ['ON_COMPLIANT_ENV'] });
  await pass(3600);
  await freshness.run(api.db);
  await givenArtifact(api, 'mute', '3', { trail_name: 't1' });
  await reevaluateAll(api, 'mute');
  await plan();
  expect(await messagesTo(api, notification)).toEqual([]);
  await givenHeartbeat(api, 'mute', api.clock.now);
  await freshness.run(api.db);
  await plan();
  expect(await messagesTo(api, notification)).toEqual([
    expect.stringMatching(/^mute is compliant again: it resumed reporting/),
  ]);
});

it('sends one message for a report that ends a stale period and makes the environment compliant', async () => {
  await givenFlow(api, 'back', OPEN_FLOW);
  await givenPolicy(api, 'back');
  await givenArtifact(api, 'back', '4', { trail_name: 't1' });
  await givenEnvironment(api, 'back', 'server', { expected_report_interval_s: 60 });
  await givenAttached(api, 'back', ['back']);
  await givenRunning(api, 'back', { web: '5' });
  const notification = await givenNotification(api, 'back', ['back'], { triggers: ['ON_COMPLIANT_ENV'] });
  await pass(3600);
  await freshness.run(api.db);
  await pass(1);
  await givenRunning(api, 'back', { web: '4' });
  await givenHeartbeat(api, 'back', api.clock.now);
  await freshness.run(api.db);
  await plan();
  expect(await messagesTo(api, notification)).toEqual(['back is compliant again after the latest report']);
});

it('sends one message for it even when other reports follow before the end is noticed', async () => {
  await givenFlow(api, 'chatty', OPEN_FLOW);
  await givenPolicy(api, 'chatty');
  for (const digit of '413') await givenArtifact(api, 'chatty', digit, { trail_name: 't1' });
  await givenEnvironment(api, 'chatty', 'server', { expected_report_interval_s: 60 });
  await givenAttached(api, 'chatty', ['chatty']);
  await givenRunning(api, 'chatty', { web: '9' });
  const notification = await givenNotification(api, 'chatty', ['chatty'], { triggers: ['ON_COMPLIANT_ENV'] });
  await pass(3600);
  await freshness.run(api.db);
  for (const web of '413') {
    await pass(1);
    await givenRunning(api, 'chatty', { web });
  }
  await givenHeartbeat(api, 'chatty', api.clock.now);
  await freshness.run(api.db);
  await plan();
  expect(await messagesTo(api, notification)).toEqual(['chatty is compliant again after the latest report']);
  // What made it compliant again counts, so this return causes a message.
  await pass(3600);
  await freshness.run(api.db);
  await pass(1);
  await givenRunning(api, 'chatty', { web: '4', api: '9' });
  await pass(1);
  await givenArtifact(api, 'chatty', '9', { trail_name: 't1' });
  await reevaluateAll(api, 'chatty');
  await plan();
  await givenHeartbeat(api, 'chatty', api.clock.now);
  await freshness.run(api.db);
  await plan();
  expect((await messagesTo(api, notification)).slice(1)).toEqual([
    expect.stringMatching(/^chatty is compliant again: it resumed reporting/),
  ]);
});

it('a message about several events takes the place of the last one', async () => {
  await givenEnvironment(api, 'flapping');
  const notification = await givenNotification(api, 'flapping', ['flapping'], all);
  for (const runs of [{ web: 'a' }, {}, { web: 'a' }, {}]) await givenRunning(api, 'flapping', runs);
  const rows = await snapshotsOf('flapping');
  const processor = notificationProcessor(
    () => undefined,
    () => api.clock.now,
  );
  await api.db.transaction().execute((db) => processor.apply(db, rows));
  expect((await sendersTo(api, notification)).map(({ trigger, count }) => [trigger, count])).toEqual([
    ['ON_STARTED_ARTIFACT', 2],
    ['ON_EXITED_ARTIFACT', 2],
  ]);
  await plan();
});

async function snapshotsOf(environment: string): Promise<Entry[]> {
  const { id } = await environmentOf(api, environment);
  const { rows } = await sql<Entry>`
    select org_id, seq, id, recorded_at, type, subject_kind, subject_id, actor_name from journal
    where org_id = ${api.org.id} and subject_id = ${id} and type = 'snapshot.recorded' order by seq`.execute(api.db);
  return rows;
}

it('sends trails, artifacts and attestations of a flow', async () => {
  await givenFlow(api, 'backend', OPEN_FLOW);
  const notification = await givenFlowNotification(api, 'backend', ['backend'], everything);
  await givenTrail(api, 'backend', 't1');
  await givenArtifact(api, 'backend', '6', { trail_name: 't1' });
  const body = { attestation_name: 'scan', artifact_fingerprint: fingerprint('6'), is_compliant: false };
  await attest(api, 'backend', 't1', body);
  await plan();
  await pass(20);
  await attest(api, 'backend', 't1', { attestation_name: 'review', is_compliant: true });
  await plan();
  expect(await messagesTo(api, notification)).toEqual([
    'Trail t1 started in flow backend',
    'app-6.tgz was reported in trail t1 of flow backend',
    expect.stringMatching(/^scan \(generic\) was recorded in trail t1 of flow backend and is not compliant/),
    'review (generic) was recorded in trail t1 of flow backend and is compliant',
  ]);
  const [began, reported, scanned, reviewed] = await sendersTo(api, notification);
  const provenance = { flow: 'backend', trail: 't1', commit: '6'.repeat(40), buildUrl: 'https://ci.example.com/1' };
  expect(began?.content).toMatchObject({ environment: null, artifact: null, trail: { name: 't1' } });
  expect(reported?.content.artifact).toMatchObject({ fingerprint: fingerprint('6'), compliant: null, provenance });
  expect(scanned?.content).toMatchObject({
    attestation: { name: 'scan', type: 'generic', compliant: false },
    artifact: { name: 'app-6.tgz', provenance },
  });
  expect(reviewed?.content).toMatchObject({ artifact: null, attestation: { compliant: true } });
  const message = { ...{ id: 'd', org: 'acme', timestamp: 1 }, ...(reported as NonNullable<typeof reported>) };
  const { html_url } = webhookBody(message, 'https://w').artifact?.provenance ?? {};
  expect(html_url).toMatch(
    new RegExp(`^https://w/acme/flows/backend/artifacts/${fingerprint('6')}\\?artifact_id=.{36}$`),
  );
});

it('names who overrode a verdict, and the reason', async () => {
  await givenFlow(api, 'overridden', OPEN_FLOW);
  await givenTrail(api, 'overridden', 't1');
  await attest(api, 'overridden', 't1', { attestation_name: 'lint', is_compliant: false });
  await pass(1);
  const notification = await givenFlowNotification(api, 'overridden', ['overridden'], { triggers: ['ON_ATTESTATION'] });
  const body = {
    attestation_name: 'lint',
    reason: 'Broken today',
    new_compliance_status: true,
    original_attestation_type: 'generic',
  };
  await api.call(attestOverride, { params: { flow_name: 'overridden', trail_name: 't1' }, body });
  await plan();
  expect(await messagesTo(api, notification)).toEqual([
    'lint (override) was recorded in trail t1 of flow overridden and is compliant: overridden by acme-admin: Broken today',
  ]);
});

it('sends nothing else: other environments, flows, triggers, orgs, deleted notifications', async () => {
  const other = await api.givenOrg('other');
  for (const org of [api.org, other]) {
    await givenEnvironment(api, 'mine', 'server', {}, org);
    await givenEnvironment(api, 'yours', 'server', {}, org);
  }
  await givenFlow(api, 'mine', OPEN_FLOW);
  await givenFlow(api, 'yours', OPEN_FLOW);
  const notification = await givenNotification(api, 'mine', ['mine'], { triggers: ['ON_STARTED_ARTIFACT'] });
  const deaf = [
    await givenNotification(api, 'yours', ['yours'], all),
    await givenNotification(api, 'exits', ['mine'], { triggers: ['ON_EXITED_ARTIFACT'] }),
    await givenFlowNotification(api, 'flow', ['yours'], everything),
  ];
  const gone = await givenNotification(api, 'gone', ['mine'], all);
  const foreign = await givenNotification(api, 'mine', ['mine'], all, other);
  await api.call(deleteEnvironmentNotification, { params: { number: String(gone.number) } });
  await givenRunning(api, 'mine', { web: 'a' });
  await givenTrail(api, 'mine', 't1');
  await plan();
  expect(await messagesTo(api, notification)).toEqual(['web started in mine']);
  for (const one of [...deaf, gone]) expect(await messagesTo(api, one)).toEqual([]);
  expect(await messagesTo(api, foreign, other)).toEqual([]);
  await givenRunning(api, 'mine', { web: 'b' }, other);
  await plan();
  expect(await messagesTo(api, foreign, other)).toEqual(['web started in mine']);
  expect(await messagesTo(api, notification)).toEqual(['web started in mine']);
});

it('sends nothing from before a notification was created', async () => {
  await givenEnvironment(api, 'early');
  await givenRunning(api, 'early', { web: 'a' });
  await pass(1);
  const notification = await givenNotification(api, 'early', ['early'], all);
  await plan();
  expect(await messagesTo(api, notification)).toEqual([]);
});

it('a logical environment includes its members, each with a line of its own', async () => {
  for (const name of ['eu', 'us', 'elsewhere']) await givenEnvironment(api, name);
  await givenEnvironment(api, 'world', 'logical', { included_environments: ['eu', 'us'] });
  const notification = await givenNotification(api, 'world', ['world', 'eu'], { triggers: ['ON_STARTED_ARTIFACT'] });
  for (const name of ['eu', 'us', 'elsewhere']) await givenRunning(api, name, { web: 'a' });
  await plan();
  const messages = await sendersTo(api, notification);
  expect(messages.map(({ sequence, says }) => [sequence, says]).toSorted()).toEqual([
    [1, 'web started in eu'],
    [1, 'web started in us'],
  ]);
  await pass(20);
  await api.call(archiveEnvironment, { params: { env_name: 'world' } });
  for (const name of ['eu', 'us']) await givenRunning(api, name, { web: 'b' });
  await plan();
  expect((await messagesTo(api, notification)).length).toBe(3);
});

it('a renamed environment continues under its new name, and an archived one still sends earlier events', async () => {
  await givenEnvironment(api, 'old-name');
  const notification = await givenNotification(api, 'renamed', ['old-name'], { triggers: ['ON_STARTED_ARTIFACT'] });
  await givenRunning(api, 'old-name', { web: 'a' });
  await api.call(renameEnvironment, { params: { env_name: 'old-name' }, body: { new_name: 'new-name' } });
  await plan();
  await pass(20);
  await givenRunning(api, 'new-name', { web: 'b' });
  await api.call(archiveEnvironment, { params: { env_name: 'new-name' } });
  await plan();
  expect(await messagesTo(api, notification)).toEqual(['web started in old-name', 'web started in new-name']);
});

it('the parts of a big snapshot are one message', async () => {
  await givenEnvironment(api, 'big');
  await givenPolicy(api, 'big');
  await givenAttached(api, 'big', ['big']);
  const notification = await givenNotification(api, 'big', ['big'], all);
  const runs = Array.from({ length: 2_000 }, (_, i) => {
    const digits = i.toString(16).padStart(64, '0');
    return [`registry.example.com/team/service-${i}`, digits] as [string, string];
  });
  await givenReport(api, 'big', runs);
  const parts = (await api.journal()).filter(
    ({ type, payload }) => type === 'snapshot.recorded' && (payload as { environment: string }).environment === 'big',
  );
  expect(parts.length).toBeGreaterThan(1);
  await plan();
  const messages = await sendersTo(api, notification);
  expect(messages.map(({ trigger, count }) => [trigger, count])).toEqual([
    ['ON_STARTED_ARTIFACT', 2_000],
    ['ON_NON_COMPLIANT_ENV', 1],
  ]);
  expect(messages[1]?.says).toMatch(/And 1999 more artifacts are not compliant\. What to do: /);
  expect(messages[0]?.content.names.length).toBe(20);
  expect(messages[0]?.content.artifacts?.length).toBe(20);
});

it('an erased entry causes no message', async () => {
  await givenEnvironment(api, 'erased');
  const notification = await givenNotification(api, 'erased', ['erased'], all);
  const body = { artifact_fingerprint: fingerprint('a'), artifact_name: 'web', description: 'Personal' };
  await api.call(allowArtifact, { params: { env_name: 'erased' }, body });
  const { rows } = await sql<{ id: string }>`
    select id from journal where org_id = ${api.org.id} and type = 'allow_list.added'
    order by recorded_at desc limit 1`.execute(api.db);
  await eraseEntry(systemCtx(api.db, api.org.id, 'tests', noLog), rows[0]?.id ?? '', 'asked for');
  await plan();
  expect(await messagesTo(api, notification)).toEqual([]);
});

it('reading the journal again sends nothing twice, and creates no deliveries', async () => {
  await givenEnvironment(api, 'again');
  const notification = await givenNotification(api, 'again', ['again'], all);
  for (const digit of 'abcdef') await givenRunning(api, 'again', { web: digit });
  await plan();
  await pass(20);
  const deliveries = () => api.db.selectFrom('delivery').select('id').where('org_id', '=', api.org.id).execute();
  const before = [await sendersTo(api, notification), (await deliveries()).length];
  await forget();
  await plan();
  await pass(20);
  expect([await sendersTo(api, notification), (await deliveries()).length]).toEqual(before);
});

it('events of which some were sent before cause messages about the rest, and count once', async () => {
  await givenEnvironment(api, 'halves');
  const notification = await givenNotification(api, 'halves', ['halves'], { triggers: ['ON_STARTED_ARTIFACT'] });
  for (const digit of '12345678') await givenRunning(api, 'halves', { web: digit });
  const rows = await snapshotsOf('halves');
  const processor = notificationProcessor(() => undefined);
  for (const [from, to] of [
    [0, 5],
    [2, 8],
    [4, 5],
    [0, 8],
  ]) {
    await api.db.transaction().execute((db) => processor.apply(db, rows.slice(from, to)));
  }
  await plan();
  const counts = (await sendersTo(api, notification)).map(({ count }) => count);
  expect(counts).toEqual([5, 3]);
});

it('a burst causes few messages whose counts add up, and a change of state keeps its place', async () => {
  await givenFlow(api, 'burst', OPEN_FLOW);
  await givenPolicy(api, 'burst');
  await givenArtifact(api, 'burst', '7', { trail_name: 't1' });
  await givenEnvironment(api, 'burst');
  await givenAttached(api, 'burst', ['burst']);
  await pass(1);
  const notification = await givenNotification(api, 'burst', ['burst'], all);
  const trails = await givenFlowNotification(api, 'burst', ['burst'], { triggers: ['ON_STARTED_TRAIL'] });
  for (let i = 0; i < 60; i++) {
    // Compliant at first, not from the 20th on, and again from the 40th on.
    const bad = i >= 20 && i < 40 ? { bad: '8' } : {};
    await givenRunning(api, 'burst', { ...bad, [`web-${i}`]: '7' });
    await pass(0.05);
    if (i % 7 === 0) await plan();
  }
  for (let batch = 0; batch < 20; batch++) {
    const begun = Array.from({ length: 50 }, (_, i) =>
      api.call(beginTrail, { params: { flow_name: 'burst' }, body: { name: `trail-${batch}-${i}` } }),
    );
    for (const { status } of await Promise.all(begun)) expect(status).toBe(201);
  }
  await plan();
  await pass(20);
  const messages = await sendersTo(api, notification);
  expect(messages.map(({ sequence }) => sequence)).toEqual(messages.map((_, i) => i + 1));
  expect(messages.length).toBeLessThan(20);
  const counted = (trigger: string) =>
    messages.filter((message) => message.trigger === trigger).reduce((sum, { count }) => sum + count, 0);
  expect(counted('ON_STARTED_ARTIFACT')).toBe(61);
  expect(counted('ON_EXITED_ARTIFACT')).toBe(60);
  const states = messages.filter(({ trigger }) => trigger.endsWith('_ENV'));
  expect(states.map(({ trigger, count }) => [trigger, count])).toEqual([
    ['ON_COMPLIANT_ENV', 1],
    ['ON_NON_COMPLIANT_ENV', 1],
    ['ON_COMPLIANT_ENV', 1],
  ]);
  // Nothing that started before the environment became non-compliant is sent after that message.
  const red = messages.findIndex(({ trigger }) => trigger === 'ON_NON_COMPLIANT_ENV');
  const startedBefore = messages.slice(0, red).filter(({ trigger }) => trigger === 'ON_STARTED_ARTIFACT');
  expect(startedBefore.reduce((sum, { count }) => sum + count, 0)).toBe(22);
  const began = await sendersTo(api, trails);
  expect(began.length).toBeLessThanOrEqual(3);
  expect(began.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
});

it('entries without listeners cost one query for all of them', async () => {
  await givenEnvironment(api, 'unheard');
  await givenFlow(api, 'unheard', OPEN_FLOW);
  for (const digit of 'abcdef') await givenRunning(api, 'unheard', { web: digit });
  await givenTrail(api, 'unheard', 't1');
  await givenArtifact(api, 'unheard', '9', { trail_name: 't1' });
  await attest(api, 'unheard', 't1', { attestation_name: 'scan', is_compliant: true });
  const { id } = await environmentOf(api, 'unheard');
  const { rows } = await sql<Entry>`
    select org_id, seq, id, recorded_at, type, subject_kind, subject_id, actor_name from journal
    where org_id = ${api.org.id} and (subject_id = ${id} or payload like '%unheard%') order by seq`.execute(api.db);
  expect(new Set(rows.map(({ type }) => type)).size).toBeGreaterThan(4);
  const queries: string[] = [];
  const counting = openDb({ url: api.url, poolSize: 1, statementTimeoutMs: 30_000 }, noLog, (text) => {
    if (/select|insert|update/i.test(text)) queries.push(text);
  });
  try {
    const processor = notificationProcessor(() => undefined);
    await counting.transaction().execute((db) => processor.apply(db, rows));
    expect(queries.length).toBe(1);
    const others = rows.filter(({ type }) => type === 'environment.created' || type === 'flow.created');
    await counting.transaction().execute((db) => processor.apply(db, others));
    expect(queries.length).toBe(1);
    // Many entries with listeners cost about as much as few.
    await givenNotification(api, 'heard', ['unheard'], all);
    const times = { created_at: new Date(0) };
    await sql`update notification set created_at = ${times.created_at} where org_id = ${api.org.id} and name = 'heard'`.execute(
      api.db,
    );
    await counting.transaction().execute((db) => processor.apply(db, rows));
    expect(queries.length).toBeLessThanOrEqual(1 + 16);
  } finally {
    await counting.destroy();
  }
});
