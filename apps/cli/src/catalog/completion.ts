import type { CatalogEntry, CatalogGroup } from './catalog-entry.ts';

/** These commands describe all others, so they receive the catalog that they are part of. */
export const completion = {
  shown: (catalog: () => readonly CatalogGroup[]): CatalogEntry => ({
    path: 'completion',
    summary: 'Generate a shell completion script',
    load: async () => ({ command: (await import('../commands/completion/completion.ts')).completionOf(catalog()) }),
  }),
  /** Called by the completion scripts; not shown in help. */
  hidden: (catalog: () => readonly CatalogGroup[]): CatalogEntry => ({
    path: '__complete',
    summary: 'List completions for a command line',
    load: async () => ({ command: (await import('../commands/completion/complete.ts')).completeOf(catalog()) }),
  }),
};
