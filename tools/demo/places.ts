import { getEnvironment, patchTags, putEnvironment } from '../../packages/contract/src/index.ts';
import { sha256Of } from './chance.ts';
import { HOUR, MINUTE, plus } from './moments.ts';
import type { Seeding, Step } from './seeding.ts';
import { type Place, WHOLE } from './shop.ts';
import { recordPastStalePeriod, recordReturns } from './stale-periods.ts';

const PLACES = [
  { name: 'staging', type: 'docker', expected: 3600, description: 'Release testing', tier: 'test' },
  { name: 'production', type: 'K8S', expected: 3600, description: 'Online shop', tier: 'customers' },
  { name: 'eu-production', type: 'K8S', expected: 3600, description: 'Online shop for Europe', tier: 'customers' },
  { name: 'batch', type: 'server', expected: 1800, description: 'Nightly imports and newsletters', tier: 'internal' },
] as const;

/** All but batch. */
export const STILL_REPORTING = ['staging', 'production', 'eu-production'] as const;

export async function givenPlaces({ api, keys, words }: Seeding): Promise<void> {
  for (const { name, type, expected, description, tier } of PLACES) {
    const body = { name, type, description: words.text(description), expected_report_interval_s: expected };
    await api.call(keys.ada, putEnvironment, { body });
    await api.call(keys.ada, patchTags, {
      params: { type: 'environment', id: name },
      body: { set_tags: { tier: words.text(tier) } },
    });
  }
  const whole = { name: WHOLE, type: 'logical' as const, included_environments: ['production', 'eu-production'] };
  await api.call(keys.ada, putEnvironment, {
    body: { ...whole, description: words.text('All customer-facing environments') },
  });
}

export async function environmentId({ api, keys }: Pick<Seeding, 'api' | 'keys'>, place: Place): Promise<string> {
  return (await api.call(keys.ada, getEnvironment, { params: { env_name: place } })).id;
}

const VENDOR = ['vendor/envoy:1.31.2', 'vendor/redis:7.4.1'] as const;

/** Third-party artifacts that run beside ours, from the first report on. */
export function vendorSteps({ times }: Seeding): Step[] {
  return STILL_REPORTING.map((place, i) => ({
    at: plus(times.founded, (2 + i) * HOUR),
    run({ running }) {
      for (const image of VENDOR) {
        running.start(place, image.split(':')[0] ?? image, { image, fingerprint: sha256Of(image) });
      }
      return running.report(place);
    },
  }));
}

/** Reporters that went stale: the one of staging for some hours, the one of batch until now. */
export function staleSteps({ times }: Seeding): Step[] {
  const { stagingWentStale, stagingReturned, batchWentStale } = times;
  // A report that differs in instances only is recorded at once, without a snapshot.
  const scaled = (at: Date, place: Place, service: string, instances: number): Step => ({
    at,
    run({ running }) {
      running.scale(place, service, instances);
      return running.report(place);
    },
  });
  const stale = (at: Date, place: Place): Step => ({
    at,
    run: async (seeding) => recordPastStalePeriod(seeding.api, seeding.orgId, await environmentId(seeding, place)),
  });
  return [
    scaled(stagingWentStale, 'staging', 'web', 2),
    stale(plus(stagingWentStale, 61 * MINUTE), 'staging'),
    scaled(stagingReturned, 'staging', 'web', 1),
    { at: plus(stagingReturned, MINUTE), run: ({ api }) => recordReturns(api) },
    scaled(batchWentStale, 'batch', 'mailer', 2),
    stale(plus(batchWentStale, 31 * MINUTE), 'batch'),
  ];
}

/** The others report regularly, also when nothing changes. */
export function lastReports({ times }: Seeding): Step[] {
  return STILL_REPORTING.map((place, i) => ({
    at: plus(times.now, -(20 - i) * 1000),
    run: ({ running }) => running.report(place),
  }));
}
