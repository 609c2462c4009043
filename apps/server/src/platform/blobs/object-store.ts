/**
 * Objects of the ledger, by path, beside the evidence files and in the same directory or bucket. Whoever creates an object
 * owns its path: no two writers can both believe that they were first, whatever they remember and however late they are.
 */
export interface ObjectStore {
  /**
   * Resolves once the content is durable, with whether this call created the object. If it did not, the one that exists
   * is unchanged, and may have been created by an earlier try of this call whose answer was lost. A crash leaves the whole
   * object or none.
   */
  create(path: string, content: Uint8Array): Promise<boolean>;

  read(path: string): Promise<Buffer | undefined>;

  /** Replaces the object as a whole, or creates it. Of two at the same time, either may win. */
  overwrite(path: string, content: Uint8Array): Promise<void>;

  /** Removing a missing object is not an error. */
  remove(path: string): Promise<void>;
}
