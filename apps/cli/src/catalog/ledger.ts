import type { CatalogGroup } from './catalog-entry.ts';

export const ledger: CatalogGroup = {
  title: 'Ledger',
  entries: [
    {
      path: 'ledger trust-policy',
      summary: 'Print the keys and witnesses that the service names',
      load: () => import('../commands/ledger/trust-policy.ts'),
    },
    {
      path: 'ledger checkpoint',
      summary: 'Verify and print the newest signed checkpoint',
      load: () => import('../commands/ledger/checkpoint.ts'),
    },
    {
      path: 'ledger proof',
      summary: 'Download the proof that something was recorded',
      load: () => import('../commands/ledger/proof.ts'),
    },
    {
      path: 'ledger verify',
      summary: 'Verify a proof offline',
      load: () => import('../commands/ledger/verify.ts'),
    },
    {
      path: 'ledger watch',
      summary: 'Monitor the ledger, and fail if it was rewritten',
      load: () => import('../commands/ledger/watch.ts'),
    },
  ],
};
