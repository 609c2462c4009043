/** What the address says about times: of the window, and of the two ends on it, which may be numbers of snapshots. */
export interface Places {
  readonly at?: number | undefined;
  readonly with?: number | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}
