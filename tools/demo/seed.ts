import { patchTags } from '../../packages/contract/src/index.ts';
import { type DemoApi, type DemoInstallation, openDemoApi } from './demo-api.ts';
import { openDemoWorker } from './demo-worker.ts';
import { hostileSteps } from './hostile.ts';
import { type StoryTimes, storyTimes } from './moments.ts';
import { foundOrg, givenAccounts, givenMember, PEOPLE } from './people.ts';
import { givenPlaces, lastReports, STILL_REPORTING, staleSteps, vendorSteps } from './places.ts';
import { planReleases, type Release } from './release-plan.ts';
import { releaseSteps } from './releases.ts';
import { givenRules, ruleSteps } from './rules.ts';
import { createRunning, type ReportBody } from './running.ts';
import { type DemoKeys, type Seeding, type Step, takeSteps } from './seeding.ts';
import { ORG, PHYSICAL, type Place, type ServiceName, WHOLE } from './shop.ts';
import * as stories from './stories.ts';
import { hostileWords, plainWords, type Words } from './words.ts';

export interface SeedOptions extends DemoInstallation {
  /** When the history ends. All else follows from it. */
  readonly now: Date;
  /** Markup and the like in every text that users can write. */
  readonly hostile?: boolean;
  /** Called with the progress, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
}

/** The created resources, for reference. */
export interface DemoOrg {
  readonly id: string;
  readonly name: string;
  readonly now: Date;
  readonly people: typeof PEOPLE;
  readonly keys: DemoKeys;
  readonly environments: readonly Place[];
  readonly logicalEnvironment: string;
  /** Oldest first. */
  readonly releases: Readonly<Record<ServiceName, readonly Release[]>>;
  readonly incident: {
    readonly before: Release;
    readonly hotfix: Release;
    readonly repaired: Release;
    readonly at: Date;
  };
  readonly violation: { readonly release: Release; readonly at: Date };
  readonly drift: { readonly service: 'search'; readonly behind: Release; readonly newest: Release };
  readonly allowListed: { readonly expiring: Named; readonly expired: Named };
  readonly notifications: typeof stories.NOTIFICATIONS;
  /** The last reports of environments that are not stale. */
  readonly lastReports: Readonly<Partial<Record<Place, ReportBody>>>;
  /** Mails that were sent, such as the pending invitation. */
  readonly mails: DemoApi['mails'];
}

type Named = { readonly image: string; readonly fingerprint: string };

/** The last step of the seed: if it is present, so is everything else. */
export const SEEDED_TAG = { key: 'owner', value: 'platform' } as const;

/** Puts ninety days of history into a database that is migrated, as if it had been recorded day by day. */
export async function seedDemo(options: SeedOptions): Promise<DemoOrg> {
  const times = storyTimes(options.now);
  const releases = planReleases(times);
  const words = options.hostile ? hostileWords() : plainWords;
  const api = openDemoApi(options, times.founded);
  try {
    const seeding = await found(api, times, words);
    const featured = storyReleases(releases, times);
    const steps = [...allSteps(seeding, releases, featured), ...(options.hostile ? hostileSteps(seeding) : [])];
    await takeSteps(seeding, steps, options.onProgress ?? (() => undefined));
    api.clock.now = times.now;
    await api.call(seeding.keys.ada, patchTags, {
      params: { type: 'environment', id: WHOLE },
      body: { set_tags: { [SEEDED_TAG.key]: SEEDED_TAG.value } },
    });
    await seeding.worker.finish();
    return toDemoOrg(seeding, releases, featured);
  } finally {
    await api.close();
  }
}

/** The org as it was on its first day. */
async function found(api: DemoApi, times: StoryTimes, words: Words): Promise<Seeding> {
  const { orgId, ada } = await foundOrg(api, words);
  const bea = await givenMember(api, ada, 'bea', 'member', words);
  const accounts = await givenAccounts(api, ada, words);
  const carl = await givenMember(api, ada, 'carl', 'reader', words);
  const keys = { ada, bea, carl, ...accounts };
  const worker = await openDemoWorker(api, orgId);
  const running = createRunning(api, keys.reporter, words);
  const seeding = { api, orgId, keys, words, times, running, worker };
  await givenPlaces(seeding);
  await givenRules(seeding);
  return seeding;
}

function allSteps(seeding: Seeding, releases: DemoOrg['releases'], featured: StoryReleases): Step[] {
  const { times } = seeding;
  const recent = times.ago(10);
  return [
    ...stories.memberSteps(seeding),
    ...vendorSteps(seeding),
    ...ruleSteps(seeding),
    ...Object.values(releases)
      .flat()
      .flatMap((release) => releaseSteps(release, { isRecent: release.builtAt > recent })),
    ...stories.incidentSteps(seeding, featured.before, featured.hotfix),
    ...stories.allowListSteps(seeding),
    ...staleSteps(seeding),
    ...stories.notificationSteps(seeding),
    ...stories.workSteps(seeding),
    ...lastReports(seeding),
  ];
}

interface StoryReleases {
  readonly before: Release;
  readonly hotfix: Release;
  readonly repaired: Release;
  readonly violating: Release;
  readonly behind: Release;
  readonly newest: Release;
}

function storyReleases(releases: DemoOrg['releases'], times: StoryTimes): StoryReleases {
  const { checkout, payments, search } = releases;
  const at = checkout.findIndex(({ approvers }) => approvers.length === 0);
  const lastIn = (place: Place) => search.findLast(({ starts }) => starts[place] !== undefined);
  return {
    before: some(checkout.findLast(({ starts }) => starts.production && starts.production < times.incident)),
    hotfix: some(checkout[at]),
    repaired: some(checkout[at + 1]),
    violating: some(payments.at(-1)),
    behind: some(lastIn('eu-production')),
    newest: some(lastIn('production')),
  };
}

function some(release: Release | undefined): Release {
  if (!release) throw new Error('the plan of the demo lacks a release that a story is about');
  return release;
}

function toDemoOrg(seeding: Seeding, releases: DemoOrg['releases'], featured: StoryReleases): DemoOrg {
  const { times, keys, orgId, api, running } = seeding;
  const { before, hotfix, repaired, violating, behind, newest } = featured;
  return {
    id: orgId,
    name: ORG,
    now: times.now,
    people: PEOPLE,
    keys,
    environments: PHYSICAL,
    logicalEnvironment: WHOLE,
    releases,
    incident: { before, hotfix, repaired, at: times.incident },
    violation: { release: violating, at: times.violation },
    drift: { service: 'search', behind, newest },
    allowListed: { expiring: stories.DEBUG_PROXY, expired: stories.PRICE_SYNC },
    notifications: stories.NOTIFICATIONS,
    lastReports: Object.fromEntries(STILL_REPORTING.map((place) => [place, running.bodyOf(place)])),
    mails: api.mails,
  };
}
