import type { CatalogGroup } from './catalog-entry.ts';

export const audit: CatalogGroup = {
  title: 'Audit',
  entries: [
    { path: 'audit log', summary: 'List who joined and left the org', load: () => import('../commands/audit/log.ts') },
    {
      path: 'audit package',
      summary: 'Download evidence as a package for an auditor',
      load: () => import('../commands/audit/package.ts'),
    },
    {
      path: 'audit verify',
      summary: 'Check an audit package without the service',
      load: () => import('../commands/audit/verify.ts'),
    },
  ],
};
