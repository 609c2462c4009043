import type { CatalogGroup } from './catalog-entry.ts';

export const understand: CatalogGroup = {
  title: 'Understand',
  entries: [
    { path: 'why', summary: 'Explain why something is compliant or not', load: () => import('../commands/why/why.ts') },
    {
      path: 'where',
      summary: 'Show which environments run a commit or an artifact',
      load: () => import('../commands/where/where.ts'),
    },
    {
      path: 'component where',
      summary: 'Show which environments run a component',
      load: () => import('../commands/component/where.ts'),
    },
    {
      path: 'component diff',
      summary: 'Compare the components of two artifacts',
      load: () => import('../commands/component/diff.ts'),
    },
    {
      path: 'trace',
      summary: 'Trace an artifact from its commit to where it runs',
      load: () => import('../commands/trace/trace.ts'),
    },
    { path: 'diff', summary: 'Compare two snapshots', load: () => import('../commands/diff/diff.ts') },
    { path: 'log', summary: 'Show the history of an environment', load: () => import('../commands/log/log.ts') },
    {
      path: 'storage',
      summary: 'Show the storage use and quota of the org',
      load: () => import('../commands/storage/storage.ts'),
    },
    {
      path: 'search',
      summary: 'Search by fingerprint, commit, name, or component',
      load: () => import('../commands/search/search.ts'),
    },
    {
      path: 'verify',
      summary: 'Verify an audit package, or a file against its record',
      load: () => import('../commands/verify/verify.ts'),
    },
    {
      path: 'fingerprint',
      summary: 'Print the fingerprint of a file, directory, or image',
      load: () => import('../commands/fingerprint/fingerprint.ts'),
    },
  ],
};
