/** The trail itself, or one of its artifacts, and its evidence. */
export interface Level {
  readonly id: string;
  readonly artifact: string | null;
  /** Follows a name: empty for the trail, else such as " on artifact 'backend'". */
  readonly about: string;
  /** Names of extra reports: one of them may be a typo. */
  readonly extraNames: readonly string[];
}
