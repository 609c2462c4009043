import type { CatalogEntry, CatalogGroup } from './catalog-entry.ts';

/** These tell of all the others, so they are handed the catalog that they are a part of. */
export const completion = {
  shown: (catalog: () => readonly CatalogGroup[]): CatalogEntry => ({
    path: 'completion',
    summary: 'Print what makes a shell complete the commands',
    load: async () => ({ command: (await import('../commands/completion/completion.ts')).completionOf(catalog()) }),
  }),
  /** For the scripts of the other, and in no help. */
  hidden: (catalog: () => readonly CatalogGroup[]): CatalogEntry => ({
    path: '__complete',
    summary: 'List what a line can go on with',
    load: async () => ({ command: (await import('../commands/completion/complete.ts')).completeOf(catalog()) }),
  }),
};
