import type { Db } from '../../../platform/db/db.ts';
import { createRecentCost } from '../../../platform/recent-cost.ts';
import { listDue, listDueOrgs, NO_ORG, type QueuedReevaluation } from './reevaluation-queue.store.ts';

/** The number of environments that are re-evaluated together, and of decisions made for them. */
const GROUP_SIZE = 32;
const MAX_DECISIONS_PER_GROUP = 10_000;
/** More than a worker takes in a turn, as it skips those that others are changing. */
const GROUPS = 16;
const ORGS = 256;
/** Otherwise an org whose environments somebody else is changing would cost nothing, and always be first. */
const LEAST_CHARGE_MS = 25;

export interface ReevaluationShares {
  /**
   * Returns the groups for the next turn, each of one org, starting with the orgs that have used the least time
   * recently.
   */
  next(db: Db): Promise<QueuedReevaluation[][]>;
  /** Runs a group, and charges its time to its org. */
  charge<T>(group: readonly QueuedReevaluation[], work: () => Promise<T>): Promise<T>;
}

export function createReevaluationShares(now: () => number = () => performance.now()): ReevaluationShares {
  const cost = createRecentCost(now);
  let after = NO_ORG;

  /** With more orgs than fit in a turn, the next turn begins where this one ended. */
  async function nextOrgs(db: Db): Promise<string[]> {
    const from = after;
    const orgs = await listDueOrgs(db, from, ORGS);
    after = orgs.length === ORGS ? (orgs.at(-1) ?? NO_ORG) : NO_ORG;
    return orgs.length === 0 && from !== NO_ORG ? listDueOrgs(db, NO_ORG, ORGS) : orgs;
  }

  return {
    async next(db) {
      const orgs = await nextOrgs(db);
      if (orgs.length === 0) return [];
      const first = orgs
        .map((org) => ({ org, used: cost.of(org) }))
        .sort((a, b) => a.used - b.used)
        .slice(0, GROUPS)
        .map(({ org }) => org);
      const perOrg = Math.ceil(GROUPS / first.length) * GROUP_SIZE;
      const byOrg = Map.groupBy(await listDue(db, first, perOrg), (queued) => queued.org_id);
      return inTurn(first.map((org) => inGroups(byOrg.get(org) ?? []))).slice(0, GROUPS);
    },
    async charge(group, work) {
      const startedAt = now();
      try {
        return await work();
      } finally {
        const [first] = group;
        if (first) cost.add(first.org_id, Math.max(LEAST_CHARGE_MS, now() - startedAt));
      }
    },
  };
}

/** Interleaves: the first of each row, then the second of each, and so on. */
function inTurn<One>(rows: readonly (readonly One[])[]): One[] {
  const maxLength = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: maxLength }, (_, nth) => rows.flatMap((row) => row.slice(nth, nth + 1))).flat();
}

/** No group is much larger than the largest environment in it. */
function inGroups(due: readonly QueuedReevaluation[]): QueuedReevaluation[][] {
  const groups: QueuedReevaluation[][] = [];
  let room = 0;
  for (const queued of due) {
    const group = groups.at(-1);
    if (group && group.length < GROUP_SIZE && queued.decisions <= room) group.push(queued);
    else {
      groups.push([queued]);
      room = MAX_DECISIONS_PER_GROUP;
    }
    room -= queued.decisions;
  }
  return groups;
}
