/** The times in the address: the window, and the two handles, which may be snapshot numbers. */
export interface Places {
  readonly at?: number | undefined;
  readonly with?: number | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}
