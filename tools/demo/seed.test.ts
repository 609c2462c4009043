import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { replayDecisions } from '../../apps/server/src/features/runtime-verdicts/replay.reads.ts';
import { createDatabase } from '../../apps/server/test/databases.ts';
import {
  explainEnvironment,
  getDelivery,
  getEnvironment,
  getNotificationConfig,
  getPolicy,
  getSnapshot,
  getTrail,
  listAttestations,
  listControlDecisions,
  listControls,
  listControlVersions,
  listDeliveries,
  listEnvironmentWaivers,
  listInvitations,
  listMembers,
  listServiceAccountKeys,
  listSnapshots,
  listWorkloadIdentities,
} from '../../packages/contract/src/index.ts';
import { findFreePort } from '../services/port.ts';
import { type DemoApi, openDemoApi } from './demo-api.ts';
import { reportAgain } from './keep-reporting.ts';
import { DAY, HOUR, MINUTE, plus, storyTimes } from './moments.ts';
import { planReleases } from './release-plan.ts';
import type { Place } from './shop.ts';

const demo = inject('demo');
const NOW = demo.org.now;

describe('the plan', () => {
  it('is the same for the same time', () => {
    expect(planReleases(storyTimes(NOW))).toEqual(planReleases(storyTimes(new Date(NOW))));
  });

  it.each([0, 3, 11, 40, 200].map((days) => plus(NOW, days * DAY + days * HOUR)))('has its stories at %s', (now) => {
    const times = storyTimes(now);
    const plan = planReleases(times);
    for (const releases of Object.values(plan)) {
      expect(releases.length).toBeGreaterThanOrEqual(24);
      expect(releases.length).toBeLessThanOrEqual(42);
      expect(new Set(releases.map(({ trail }) => trail)).size).toBe(releases.length);
      expect(releases.at(-1)?.failures).toBe(0);
      const starts = releases.flatMap((release) => Object.values(release.starts));
      expect(starts.every((at) => at < now && at > times.founded)).toBe(true);
    }
    expect(plan.checkout.find(({ approvers }) => approvers.length === 0)?.version).toBe('1.9.1');
    expect(inProduction(plan.checkout, times.incident)).toBe('1.9.1');
    expect(inProduction(plan.checkout, plus(times.incident, -MINUTE))).toBe('1.9.0');
  });

  it('keeps other releases out of production during the incident, whatever the hour of the demo', () => {
    const interrupted = Array.from({ length: 14 * 24 }, (_, hours) => storyTimes(plus(NOW, hours * HOUR))).flatMap(
      (times) =>
        Object.values(planReleases(times))
          .flat()
          .filter(({ service, starts: { production } }) => {
            const isDuring = production && production >= times.incident && production <= plus(times.incident, 5 * HOUR);
            return isDuring && service !== 'checkout';
          })
          .map(({ service, version }) => `${service} ${version}, demo of ${times.now.toISOString()}`),
    );
    expect(interrupted).toEqual([]);
  });
});

function inProduction(releases: ReturnType<typeof planReleases>['checkout'], at: Date): string | undefined {
  return releases.findLast(({ starts }) => starts.production && starts.production <= at)?.version;
}

describe('the seed', () => {
  let api: DemoApi;
  beforeAll(async () => {
    const { url: databaseUrl } = await createDatabase(new URL(demo.installation.databaseUrl).pathname.slice(1));
    api = openDemoApi({ ...demo.installation, databaseUrl }, NOW);
  });
  afterAll(() => api?.close());

  const ada = () => demo.org.keys.ada;
  const environment = (env_name: string) => api.call(ada(), getEnvironment, { params: { env_name } });
  const snapshot = (env_name: Place, expression = '-1') =>
    api.call(ada(), getSnapshot, { params: { env_name, snapshot_expression: expression } });
  const seconds = (at: Date) => at.getTime() / 1000;
  /** When an environment was red, in its snapshots of the last days. */
  const verdicts = async (env_name: Place) => {
    const list = await api.call(ada(), listSnapshots, { params: { env_name }, query: { per_page: '100' } });
    return list.toSorted((a, b) => a.from - b.from);
  };

  it('leaves production red for one reason', async () => {
    expect(await environment('production')).toMatchObject({ compliance: 'non-compliant', stale: false });
    const { artifacts } = await snapshot('production');
    const { release } = demo.org.violation;
    const red = artifacts.filter(({ compliance }) => compliance === 'non-compliant');
    expect(red.map(({ fingerprint }) => fingerprint)).toEqual([release.fingerprint]);
    const explained = await api.call(ada(), explainEnvironment, { params: { env_name: 'production' } });
    expect(JSON.stringify(explained)).toContain("'sast'");
    expect(artifacts.map(({ compliance }) => compliance)).toContain('waived');
    expect(await environment('eu-production')).toMatchObject({ compliance: 'compliant', stale: false });
    expect(await environment('staging')).toMatchObject({ compliance: 'compliant', stale: false });
    expect(await environment(demo.org.logicalEnvironment)).toMatchObject({ compliance: 'non-compliant' });
  });

  it('can be reported again an hour later, so that no environment becomes stale', async () => {
    const { url: databaseUrl } = await createDatabase(new URL(demo.installation.databaseUrl).pathname.slice(1));
    const open = () => openDemoApi({ ...demo.installation, databaseUrl }, plus(NOW, HOUR));
    const reported = open();
    const port = await findFreePort();
    await reported.listen(port);

    await reportAgain({ url: `http://127.0.0.1:${port}`, key: ada() }, demo.org.lastReports);

    // Report times are written with a delay, and at the end.
    await reported.close();
    const later = open();
    onTestFinished(() => later.close());
    const places = Object.keys(demo.org.lastReports);
    expect(places).toContain('production');
    for (const env_name of places) {
      const { stale, last_reported_at } = await later.call(ada(), getEnvironment, { params: { env_name } });
      expect({ env_name, stale, last_reported_at }).toEqual({
        env_name,
        stale: false,
        last_reported_at: seconds(plus(NOW, HOUR)),
      });
    }
  });

  it('contains the incident', async () => {
    const { at, hotfix, repaired } = demo.org.incident;
    const around = (await verdicts('production')).filter(
      ({ from }) => from >= seconds(at) && from <= seconds(plus(at, 5 * HOUR)),
    );
    const red = around.findIndex(({ compliance }) => compliance === 'non-compliant');
    expect(around[red]?.from).toBe(seconds(at));
    expect(around.slice(red + 1).map(({ compliance }) => compliance)).not.toContain('non-compliant');
    const next = around[red + 1];
    expect(next).toMatchObject({ from: seconds(plus(at, 38 * MINUTE)), compliance: 'compliant' });
    expect([hotfix.version, repaired.version]).toEqual(['1.9.1', '1.9.2']);
    const listed = await api.call(ada(), listEnvironmentWaivers, {
      params: { env_name: 'production' },
      query: { ended: 'true' },
    });
    expect(listed.find(({ fingerprint }) => fingerprint === hotfix.fingerprint)).toMatchObject({
      end_reason: 'withdrawn',
    });
    const trail = await api.call(ada(), getTrail, { params: { flow_name: 'checkout', trail_name: hotfix.trail } });
    expect(trail.compliance_state).toBe('NON-COMPLIANT');
  });

  it('has an older search in Europe', async () => {
    const { behind, newest } = demo.org.drift;
    expect(behind.version).not.toBe(newest.version);
    const runs = async (place: Place) => (await snapshot(place)).artifacts.map(({ fingerprint }) => fingerprint);
    expect(await runs('eu-production')).toContain(behind.fingerprint);
    expect(await runs('production')).toContain(newest.fingerprint);
  });

  it('has waivers that end soon and that have ended', async () => {
    const { expiring, expired } = demo.org.allowListed;
    const list = (env_name: string) =>
      api.call(ada(), listEnvironmentWaivers, { params: { env_name }, query: { ended: 'true' } });
    const soon = (await list('production')).find(({ fingerprint }) => fingerprint === expiring.fingerprint);
    expect(soon).toMatchObject({ ended_at: null, expires_at: seconds(plus(NOW, 2 * DAY)) });
    const gone = (await list('eu-production')).find(({ fingerprint }) => fingerprint === expired.fingerprint);
    expect(gone).toMatchObject({ end_reason: 'expired', ended_by: 'expiry' });
  });

  it('has a stale environment, and one that was stale', async () => {
    const { batchWentStale, stagingWentStale, stagingReturned } = storyTimes(NOW);
    expect(await environment('batch')).toMatchObject({
      stale: true,
      last_reported_at: seconds(batchWentStale),
      stale_since: seconds(plus(batchWentStale, 30 * MINUTE)),
    });
    const entries = await api.db
      .selectFrom('journal')
      .select(['type', 'payload'])
      .where('org_id', '=', demo.org.id)
      .where('type', 'in', ['environment.went_stale', 'environment.reporting_again'])
      .orderBy('recorded_at')
      .execute();
    expect(entries.map(({ type, payload }) => ({ type, ...JSON.parse(payload ?? '{}') }))).toEqual([
      {
        type: 'environment.went_stale',
        environment: 'staging',
        last_reported_at: seconds(stagingWentStale),
        allowed_seconds: 3600,
      },
      {
        type: 'environment.reporting_again',
        environment: 'staging',
        silent_since: seconds(plus(stagingWentStale, HOUR)),
        last_reported_at: seconds(stagingReturned),
      },
      {
        type: 'environment.went_stale',
        environment: 'batch',
        last_reported_at: seconds(batchWentStale),
        allowed_seconds: 1800,
      },
    ]);
  });

  it('has rules with a past', async () => {
    const policy = (name: string) => api.call(ada(), getPolicy, { params: { name } });
    expect((await policy('baseline')).versions).toHaveLength(2);
    const release = await policy('prod-release');
    expect(release.versions).toHaveLength(3);
    expect(release.consuming_envs.toSorted()).toEqual(['eu-production', 'production']);
    const { controls } = await api.call(ada(), listControls, {});
    expect(controls.map(({ identifier }) => identifier).toSorted()).toEqual(
      ['01', '02', '03', '04'].map((number) => `SDLC-CTRL-${number}`),
    );
    const archived = await api.call(ada(), listControls, { query: { archived: 'true' } });
    expect(archived.controls.map(({ identifier }) => identifier)).toEqual(['SDLC-CTRL-05']);
    const params = { identifier: 'SDLC-CTRL-03' };
    expect((await api.call(ada(), listControlVersions, { params })).versions).toHaveLength(3);
    const no = await api.call(ada(), listControlDecisions, { params, query: { is_compliant: 'false' } });
    expect(no.total_count).toBe(1);
  });

  it('has deliveries that failed, each with its attempts', async () => {
    const failed = await api.call(ada(), listDeliveries, { query: { state: 'failed' } });
    expect(failed.length).toBeGreaterThan(0);
    const waiting = await api.call(ada(), listDeliveries, { query: { state: 'waiting' } });
    expect(waiting.map(({ target }) => target.to)).toContain('chat.acme.invalid');
    // Nobody there has opted in to mail.
    const dropped = await api.call(ada(), listDeliveries, { query: { state: 'dropped' } });
    expect(dropped.map(({ target }) => target.to)).toContain('releases@example.com');
    // A delivery behind others that its target has not accepted is not tried before them.
    const tried = waiting.filter(({ attempt_count }) => attempt_count > 0);
    expect(tried.length).toBeGreaterThan(0);
    for (const { id, attempt_count } of [...failed, ...tried]) {
      const { attempts } = await api.call(ada(), getDelivery, { params: { delivery_id: id } });
      expect(attempts).toHaveLength(attempt_count);
      expect(attempts.every(({ delivered, error }) => !delivered && error !== null)).toBe(true);
    }
    const config = await api
      .call(ada(), getNotificationConfig, { params: { config_type: 'api_key_expiry' } })
      .catch(String);
    expect(JSON.stringify(config)).not.toContain('webhook');
  });

  it('has people, accounts and keys', async () => {
    const { members } = await api.call(ada(), listMembers, {});
    expect(members.map(({ login, role }) => `${login} ${role}`).toSorted()).toEqual([
      'ada admin',
      'bea member',
      'carl reader',
    ]);
    const keys = await api.call(ada(), listServiceAccountKeys, { params: { name: 'ci' } });
    expect(keys.map(({ expires_at }) => expires_at)).toContain(seconds(plus(NOW, 5 * DAY)));
    expect(await api.call(ada(), listWorkloadIdentities, {})).toHaveLength(1);
    const open = await api.call(ada(), listInvitations, {});
    expect(open.map(({ email }) => email)).toEqual(['dora@example.com']);
    expect(demo.org.mails.map(({ to }) => to)).toContain('dora@example.com');
  });

  it('has evidence of every kind', async () => {
    const kinds = [
      'generic',
      'junit',
      'snyk',
      'sonar',
      'jira',
      'pull_request',
      'decision',
      'override',
      'sbom',
      'in_toto',
    ];
    for (const type of [...kinds, 'custom']) {
      const { data } = await api.call(ada(), listAttestations, { query: { type, per_page: '1' } });
      expect(data, type).toHaveLength(1);
      if (type === 'in_toto') expect(data[0]).toMatchObject({ is_compliant: true, trust: 'signature' });
    }
  });

  it('agrees with the rules, and nothing is left to do', async () => {
    const { differences } = await replayDecisions(api.db, {});
    expect(differences).toBe(0);
    for (const table of ['environment_reevaluation', 'dead_letter'] as const) {
      expect(await api.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });
});
