import type { CatalogGroup } from './catalog-entry.ts';

export const audit: CatalogGroup = {
  title: 'Audit',
  entries: [
    {
      path: 'audit log',
      summary: 'List membership changes of the org',
      load: () => import('../commands/audit/log.ts'),
    },
    {
      path: 'audit package',
      summary: 'Download evidence as an audit package',
      load: () => import('../commands/audit/package.ts'),
    },
    {
      path: 'audit verify',
      summary: 'Verify an audit package offline',
      load: () => import('../commands/audit/verify.ts'),
    },
  ],
};
