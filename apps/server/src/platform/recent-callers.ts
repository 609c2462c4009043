/** After this long without a request, an org no longer counts as asking. */
const ALONE_AFTER_MS = 2_000;

/** Orgs that made requests recently. */
export function createRecentCallers() {
  let earlier = new Set<string>();
  let lately = new Set<string>();
  let turnedAt = Number.NEGATIVE_INFINITY;
  const turn = (nowMs: number) => {
    if (nowMs - turnedAt < ALONE_AFTER_MS) return;
    earlier = nowMs - turnedAt < 2 * ALONE_AFTER_MS ? lately : new Set();
    lately = new Set();
    turnedAt = nowMs;
  };
  const isOnly = (orgs: ReadonlySet<string>, org: string) => orgs.size === 0 || (orgs.size === 1 && orgs.has(org));
  return {
    note(org: string, nowMs: number): void {
      turn(nowMs);
      lately.add(org);
    },
    isAlone(org: string, nowMs: number): boolean {
      turn(nowMs);
      return isOnly(lately, org) && isOnly(earlier, org);
    },
  };
}
