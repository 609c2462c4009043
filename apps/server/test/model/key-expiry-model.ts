const DAY = 86_400_000;
const STEPS = [30, 14, 7, 3, 1, 0];
const LATE_DAYS = 7;

/** What a test knows about a key that it made. */
export interface ModelKey {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly isOfJob: boolean;
  /** The org whose members are notified. */
  readonly org: string;
  readonly to: readonly string[];
}

interface ModelMessage {
  readonly org_id: string;
  readonly key: string;
  readonly step: number;
  readonly days_left: number;
  readonly to: readonly string[];
}

/** Who is notified of which keys, in the simplest way: every key at every check. */
interface KeyExpiryModel {
  readonly messages: readonly ModelMessage[];
  add(key: ModelKey): void;
  /** There are no further messages about it. */
  end(id: string): void;
  check(clock: number): void;
}

export function createKeyExpiryModel(): KeyExpiryModel {
  const keys = new Map<string, ModelKey>();
  const noticed = new Map<string, number>();
  const messages: ModelMessage[] = [];
  return {
    messages,
    add: (key) => keys.set(key.id, key),
    end: (id) => keys.delete(id),
    check(clock) {
      for (const key of keys.values()) {
        const step = latestStep(key, clock);
        const isNews = step !== undefined && step < (noticed.get(key.id) ?? Number.POSITIVE_INFINITY);
        if (!isNews) continue;
        noticed.set(key.id, step);
        if (key.to.length > 0) messages.push(messageOf(key, step, clock));
      }
    },
  };
}

function latestStep({ createdAt, expiresAt, isOfJob }: ModelKey, clock: number): number | undefined {
  if (isOfJob || expiresAt === null || clock >= expiresAt + LATE_DAYS * DAY) return undefined;
  return STEPS.findLast((step) => {
    const moment = expiresAt - step * DAY;
    return createdAt < moment && moment <= clock;
  });
}

function messageOf({ id, org, to, expiresAt }: ModelKey, step: number, clock: number): ModelMessage {
  const left = (expiresAt ?? 0) - clock;
  return { org_id: org, key: id, step, days_left: left <= 0 ? 0 : Math.ceil(left / DAY), to };
}
