import { type Chance, chanceOf, sha256Of } from './chance.ts';
import { DAY, HOUR, MINUTE, plus, type StoryTimes } from './moments.ts';
import { ENGINEERS, type Engineer, type Place, SERVICES, type Service, type ServiceName } from './shop.ts';

export interface Release {
  readonly service: ServiceName;
  readonly version: string;
  readonly image: string;
  readonly fingerprint: string;
  readonly commit: string;
  readonly parent: string;
  /** The first seven digits of the commit. */
  readonly trail: string;
  readonly author: Engineer;
  /** Empty where the rules were broken. */
  readonly approvers: readonly Engineer[];
  readonly message: string;
  readonly ticket: string;
  readonly pullRequest: number;
  readonly committedAt: Date;
  readonly builtAt: Date;
  readonly tests: number;
  readonly failures: number;
  readonly findings: { readonly high: number; readonly medium: number };
  /** The findings were dismissed. */
  readonly isOverridden: boolean;
  readonly sbomAt: Date;
  readonly starts: Readonly<Partial<Record<Place, Date>>>;
}

/** Deviations from a good release. */
interface Slot {
  readonly builtAt: Date;
  readonly fails?: true;
  readonly starts?: Release['starts'];
  readonly approvers?: readonly Engineer[];
  readonly findings?: Release['findings'];
  readonly message?: string;
  /** Neither moved nor spoiled. */
  readonly isStory?: true;
}

const QUIET_BEFORE = 30 * HOUR;

/** All releases of the history, oldest first for each service. Pure: the same time gives the same plan. */
export function planReleases(times: StoryTimes): Record<ServiceName, readonly Release[]> {
  const plan = SERVICES.map((service) => [service.name, planService(service, times)]);
  return Object.fromEntries(plan) as Record<ServiceName, readonly Release[]>;
}

function planService(service: Service, times: StoryTimes): readonly Release[] {
  const chance = chanceOf(`releases of ${service.name}`);
  const slots = [...regularSlots(service, times, chance), ...storySlots(service, times)];
  slots.sort((a, b) => a.builtAt.getTime() - b.builtAt.getTime());
  const offset = versionOffset(service, slots);
  const built = slots.map((slot, i) => toRelease(service, slot, i + offset, chance));
  return withStarts(service, built, slots, times, chance);
}

/** Working days only, and a repair some hours after each that failed. */
function regularSlots(service: Service, times: StoryTimes, chance: Chance): Slot[] {
  const count = chance.whole(24, 31);
  const gap = (times.now.getTime() - times.founded.getTime() - 3 * DAY) / count;
  const slots: Slot[] = [];
  for (let i = 0; i < count; i++) {
    const about = plus(times.founded, DAY + gap * i + (gap / 100) * chance.whole(0, 70));
    const builtAt = atWork(about, chance);
    const last = slots.at(-1)?.builtAt;
    if ((last && builtAt <= plus(last, 7 * HOUR)) || !isFree(service, builtAt, times)) continue;
    const fails = i > 0 && i < count - 2 && chance.isOneIn(8);
    slots.push({ builtAt, ...(fails && { fails }) });
    if (fails) slots.push({ builtAt: plus(builtAt, chance.whole(70, 290) * MINUTE) });
  }
  return slots;
}

function atWork(about: Date, chance: Chance): Date {
  const shift = { 0: 1, 6: -1 }[about.getUTCDay()] ?? 0;
  const day = plus(about, shift * DAY);
  day.setUTCHours(chance.whole(7, 15), chance.whole(0, 59), chance.whole(0, 59), 0);
  return day;
}

/** The days around a story have no other releases, and the last day belongs to the current story. */
function isFree(service: Service, at: Date, times: StoryTimes): boolean {
  if (at < plus(times.founded, DAY) || at > times.ago(0, 28)) return false;
  if (service.name === 'checkout') return Math.abs(at.getTime() - times.incident.getTime()) > QUIET_BEFORE;
  if (service.name === 'catalog') return Math.abs(at.getTime() - times.lateSbom.getTime()) > QUIET_BEFORE;
  return true;
}

function storySlots(service: Service, { ago, incident, violation, lateSbom }: StoryTimes): Slot[] {
  if (service.name === 'checkout') {
    return [
      {
        builtAt: plus(incident, -25 * MINUTE),
        approvers: [],
        starts: { production: incident },
        message: 'Accept cards of the new network again',
        isStory: true,
      },
      {
        builtAt: plus(incident, 210 * MINUTE),
        starts: {
          staging: plus(incident, 4 * HOUR),
          production: plus(incident, 5 * HOUR),
          'eu-production': plus(incident, 22 * HOUR),
        },
        message: 'Accept cards of the new network again, reviewed',
        isStory: true,
      },
    ];
  }
  if (service.name === 'payments') {
    return [
      {
        builtAt: plus(violation, -50 * MINUTE),
        findings: { high: 2, medium: 1 },
        starts: { staging: plus(violation, -25 * MINUTE), production: violation },
        message: 'Settle payments with the new bank',
        isStory: true,
      },
    ];
  }
  if (service.name === 'web') {
    const message = 'Show stock on the product page';
    return [{ builtAt: ago(0, 7), starts: { staging: ago(0, 6, 40) }, message, isStory: true }];
  }
  if (service.name !== 'catalog') return [];
  const starts = { staging: plus(lateSbom, -5 * HOUR), production: lateSbom, batch: plus(lateSbom, 3 * HOUR) };
  return [
    { builtAt: plus(lateSbom, -6 * HOUR), starts, message: 'Import prices from the new supplier', isStory: true },
  ];
}

/** Four patches make a minor version. The release of the incident is 1.9.1. */
function versionOffset(service: Service, slots: readonly Slot[]): number {
  if (service.name !== 'checkout') return service.name.length * 3;
  return 9 * 4 + 1 - slots.findIndex((slot) => slot.approvers?.length === 0);
}

function toRelease(service: Service, slot: Slot, number: number, chance: Chance): Release {
  const { name } = service;
  const version = `1.${Math.floor(number / 4)}.${number % 4}`;
  const image = `ghcr.io/acme/${name}:${version}`;
  const commit = commitOf(name, number);
  const author = chance.pick(ENGINEERS);
  const others = ENGINEERS.filter(({ username }) => username !== author.username);
  const first = chance.whole(0, others.length - 1);
  const approvers = slot.approvers ?? others.slice(first, first + chance.whole(1, 2));
  const ticket = `SHOP-${400 + number * 6 + name.length}`;
  return {
    service: name,
    version,
    image,
    fingerprint: sha256Of(`image ${image} built of ${commit}`),
    commit,
    parent: commitOf(name, number - 1),
    trail: commit.slice(0, 7),
    author,
    approvers,
    message: `${ticket}: ${slot.message ?? (slot.fails ? 'Switch to the new client library' : chance.pick(service.changes))}`,
    ticket,
    pullRequest: 100 + number,
    committedAt: plus(slot.builtAt, -chance.whole(12, 240) * MINUTE),
    builtAt: slot.builtAt,
    tests: 180 + number * 3,
    failures: slot.fails ? chance.whole(1, 4) : 0,
    findings: slot.findings ?? { high: 0, medium: 0 },
    isOverridden: false,
    sbomAt: plus(slot.builtAt, 6 * MINUTE),
    starts: slot.starts ?? {},
  };
}

function commitOf(service: ServiceName, number: number): string {
  return sha256Of(`commit ${number} of ${service}`).slice(0, 40);
}

/** From staging to production to the other region, without overtaking. */
function withStarts(
  service: Service,
  built: readonly Release[],
  slots: readonly Slot[],
  times: StoryTimes,
  chance: Chance,
): readonly Release[] {
  const latest = new Map<Place, Date>();
  const falseAlarm = service.name === 'catalog' ? closestTo(built, slots, times.ago(15)) : undefined;
  return built.map((release, i) => {
    const starts = slots[i]?.isStory ? release.starts : startsOf(service, release, latest, times, chance);
    for (const [place, at] of Object.entries(starts)) latest.set(place as Place, at);
    const isLate = service.name === 'catalog' && slots[i]?.isStory;
    return {
      ...release,
      starts,
      ...(isLate && { sbomAt: plus(times.lateSbom, 2 * HOUR) }),
      ...(release === falseAlarm && { isOverridden: true, findings: { high: 0, medium: 1 } }),
    };
  });
}

function closestTo(built: readonly Release[], slots: readonly Slot[], at: Date): Release | undefined {
  const good = built.filter((release, i) => release.failures === 0 && !slots[i]?.isStory);
  const away = ({ builtAt }: Release) => Math.abs(builtAt.getTime() - at.getTime());
  return good.toSorted((a, b) => away(a) - away(b))[0];
}

function startsOf(
  service: Service,
  release: Release,
  latest: ReadonlyMap<Place, Date>,
  times: StoryTimes,
  chance: Chance,
): Release['starts'] {
  const after = (place: Place, at: Date) => {
    const before = latest.get(place);
    return before && at <= before ? plus(before, 30 * MINUTE) : at;
  };
  const staging = inHearing(after('staging', plus(release.builtAt, chance.whole(14, 28) * MINUTE)), times);
  const planned = after('production', plus(staging, chance.whole(180, 1200) * MINUTE));
  const production = isDuringIncident(planned, times) ? plus(planned, 6 * HOUR) : planned;
  const europe = after('eu-production', plus(production, chance.whole(60, 1100) * MINUTE));
  const batch = after('batch', plus(production, 2 * HOUR));
  if (release.failures > 0) return { staging };
  const isHeldBack = service.name === 'search' && europe > times.driftBegins;
  const runsInBatch = service.name === 'mailer' || service.name === 'catalog';
  return {
    staging,
    ...(production < times.ago(0, 5) && { production }),
    ...(europe < times.ago(0, 5) && !isHeldBack && { 'eu-production': europe }),
    ...(runsInBatch && batch < plus(times.batchWentStale, -HOUR) && { batch }),
  };
}

/** Until the incident is over nobody else deploys to production, so its snapshots show nothing but the incident. */
function isDuringIncident(at: Date, { incident }: StoryTimes): boolean {
  return at > plus(incident, -MINUTE) && at < plus(incident, 5 * HOUR + MINUTE);
}

/** While staging is stale nothing is known to start there. */
function inHearing(at: Date, { stagingWentStale, stagingReturned }: StoryTimes): Date {
  const isUnheard = at > plus(stagingWentStale, -MINUTE) && at < plus(stagingReturned, MINUTE);
  return isUnheard ? plus(stagingReturned, 2 * MINUTE) : at;
}
