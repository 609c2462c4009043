import {
  addTrustedKey,
  addWorkloadIdentity,
  allowArtifact,
  createInvitation,
  getAction,
  putEnvironmentNotification,
  putFlowAction,
  removeMember,
  revokeServiceAccountKey,
  testTarget,
  withdrawWaiver,
} from '../../packages/contract/src/index.ts';
import { sha256Of } from './chance.ts';
import { builderPublicKey } from './evidence/files.ts';
import { DAY, HOUR, MINUTE, plus, secondsOf } from './moments.ts';
import { givenAccountKey, givenMember, keyExpiry } from './people.ts';
import type { Release } from './release-plan.ts';
import type { Seeding, Step } from './seeding.ts';
import type { Place } from './shop.ts';

/** Known to no flow, with a waiver until the day after tomorrow. */
export const DEBUG_PROXY = { image: 'ghcr.io/acme/debug-proxy:0.3', fingerprint: sha256Of('debug-proxy 0.3') };
/** Waived for two weeks; it ran some hours longer. */
export const PRICE_SYNC = { image: 'ghcr.io/acme/price-sync:2.1', fingerprint: sha256Of('price-sync 2.1') };

/** Checkout 1.9.1 goes out unreviewed, is waived after 38 minutes, and is replaced by 1.9.0 and then by 1.9.2. */
export function incidentSteps({ times }: Seeding, before: Release, hotfix: Release): Step[] {
  const { incident } = times;
  const place = 'production';
  return [
    {
      at: plus(incident, 38 * MINUTE),
      run: (seeding) =>
        allow(seeding, place, hotfix, 'Hotfix for INC-204 (declined cards); review to follow', plus(incident, DAY)),
    },
    {
      at: plus(incident, 3 * HOUR),
      run({ running }) {
        running.start(place, 'checkout', before);
        return running.report(place);
      },
    },
    {
      at: plus(incident, 3 * HOUR + 5 * MINUTE),
      run({ api, keys }) {
        const params = { env_name: place, fingerprint: hotfix.fingerprint };
        return api.call(keys.ada, withdrawWaiver, { params });
      },
    },
  ];
}

function allow(
  { api, keys, words }: Seeding,
  place: Place,
  { image, fingerprint }: Pick<Release, 'image' | 'fingerprint'>,
  reason: string,
  until: Date,
) {
  return api.call(keys.ada, allowArtifact, {
    params: { env_name: place },
    body: {
      artifact_fingerprint: fingerprint,
      artifact_name: words.text(image),
      description: words.text(reason),
      expires_at: secondsOf(until),
    },
  });
}

/** One waiver that expired while it was needed, and one that is about to. */
export function allowListSteps({ times }: Seeding): Step[] {
  const { ago, now } = times;
  const expired = ago(26);
  return [
    {
      at: ago(40),
      async run(seeding) {
        await allow(seeding, 'eu-production', PRICE_SYNC, 'Until the catalog import replaces it', expired);
        seeding.running.start('eu-production', 'price-sync', { ...PRICE_SYNC, instances: 1 });
        await seeding.running.report('eu-production');
      },
    },
    { at: plus(expired, 2_000), run: ({ worker }) => worker.work() },
    {
      at: plus(expired, 5 * HOUR),
      run({ running }) {
        running.stop('eu-production', 'price-sync');
        return running.report('eu-production');
      },
    },
    {
      at: ago(5),
      async run(seeding) {
        await allow(seeding, 'production', DEBUG_PROXY, 'Debugging stuck orders, SHOP-881', plus(now, 2 * DAY));
        seeding.running.start('production', 'debug-proxy', { ...DEBUG_PROXY, instances: 1 });
        await seeding.running.report('production');
      },
    },
  ];
}

export const NOTIFICATIONS = {
  audit: 'Release audit trail',
  channel: 'On-call channel',
  bridge: 'Evidence bridge',
} as const;

/** Unreachable targets: names that end in .invalid never resolve. */
export function notificationSteps({ times }: Seeding): Step[] {
  const { ago } = times;
  return [
    {
      at: ago(12),
      async run({ api, keys, words, worker }) {
        await worker.work();
        await api.call(keys.ada, putEnvironmentNotification, {
          body: {
            name: words.text(NOTIFICATIONS.audit),
            environments: ['production', 'eu-production'],
            triggers: ['ON_STARTED_ARTIFACT', 'ON_ALLOWED_ARTIFACT', 'ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'],
            targets: [
              { type: 'WEBHOOK', webhook: 'https://audit.acme.invalid/hooks/waymark', payload_version: '1.0' },
              { type: 'EMAIL', emails: ['releases@example.com'] },
            ],
          },
        });
      },
    },
    {
      at: ago(3),
      run: ({ api, keys, words }) =>
        api.call(keys.ada, putEnvironmentNotification, {
          body: {
            name: words.text(NOTIFICATIONS.channel),
            environments: ['production', 'eu-production', 'batch'],
            triggers: ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'],
            targets: [
              {
                type: 'SLACK',
                webhook: 'https://chat.acme.invalid/services/T01/B02/demo',
                context: { channel_id: 'C01', channel_name: words.text('on-call'), team_id: 'T01' },
              },
            ],
          },
        }),
    },
    {
      at: ago(2),
      run: ({ api, keys, words }) =>
        api.call(keys.bea, putFlowAction, {
          body: {
            name: words.text(NOTIFICATIONS.bridge),
            flows: ['payments', 'checkout'],
            triggers: ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE'],
            targets: [{ type: 'WEBHOOK', webhook: 'https://bridge.acme.invalid/evidence', payload_version: '1.0' }],
          },
        }),
    },
    { at: ago(0, 1), run: (seeding) => testChannel(seeding) },
  ];
}

/** Somebody wonders why the channel is quiet. */
async function testChannel({ api, keys }: Seeding): Promise<void> {
  const action = await api.call(keys.ada, getAction, { params: { number: '2' } });
  const target = action.targets.find(({ type }) => type === 'CHAT');
  if (target) await api.call(keys.ada, testTarget, { params: { target_id: target.id } });
}

/** When the worker of the installation would have had work. */
export function workSteps({ times }: Seeding): Step[] {
  const { ago, incident, stagingWentStale, batchWentStale, violation, now } = times;
  const days = Array.from({ length: 12 }, (_, i) => ago(11 - i, 6));
  const after = [incident, plus(incident, 38 * MINUTE), plus(incident, 3 * HOUR), plus(incident, 5 * HOUR)];
  const moments = [...days, ...after, plus(stagingWentStale, HOUR), plus(batchWentStale, HOUR), violation];
  const last = [plus(violation, 10 * MINUTE), ago(0, 2), ago(0, 0, 30), plus(now, -30_000)];
  return [...moments, ...last].map((at) => ({ at: plus(at, 20_000), run: ({ worker }) => worker.work() }));
}

/** Members who joined and left, and trusted jobs. */
export function memberSteps({ times, keys }: Seeding): Step[] {
  const { ago } = times;
  let leaked = '';
  return [
    {
      at: ago(88),
      async run({ api, words }) {
        await givenAccountKey(api, keys.ada, 'ci', words.text('nightly builds'), keyExpiry(times));
        await api.call(keys.ada, addTrustedKey, { body: { name: 'builder', public_key: builderPublicKey() } });
      },
    },
    { at: ago(80), run: ({ api, words }) => givenMember(api, keys.ada, 'finn', 'member', words) },
    { at: ago(30), run: ({ api }) => api.call(keys.ada, removeMember, { params: { login: 'finn' } }) },
    {
      at: ago(70),
      async run({ api, words }) {
        leaked = (await givenAccountKey(api, keys.ada, 'ci', words.text('laptop of finn, leaked in a log'))).id;
      },
    },
    {
      at: ago(35),
      run: ({ api }) => api.call(keys.ada, revokeServiceAccountKey, { params: { name: 'ci', key_id: leaked } }),
    },
    {
      at: ago(60),
      run: ({ api }) =>
        api.call(keys.ada, addWorkloadIdentity, {
          body: {
            name: 'checkout-main',
            service_account: 'ci',
            issuer: 'https://token.actions.githubusercontent.com',
            claims: { repository_id: '1296269', ref: 'refs/heads/main' },
          },
        }),
    },
    {
      at: ago(1),
      run: ({ api }) => api.call(keys.ada, createInvitation, { body: { email: 'dora@example.com', role: 'member' } }),
    },
  ];
}
