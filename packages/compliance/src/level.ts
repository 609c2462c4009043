/** The trail itself, or an artifact of it, and what is known there. */
export interface Level {
  readonly id: string;
  readonly artifact: string | null;
  /** To go on with after a name: empty for the trail, else such as " on artifact 'backend'". */
  readonly about: string;
  /** Names that were reported here and that nobody asked for: one of them may be a slip of the pen. */
  readonly extraNames: readonly string[];
}
