import { defineConfig } from 'vitest/config';

/** Group orders run one after another: what measures or breaks things has the machine to itself. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'pure',
          include: ['packages/**/*.test.ts', 'tools/**/*.test.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'server',
          include: [
            'apps/server/src/**/*.test.ts',
            'apps/server/test/guards/**/*.test.ts',
            'apps/server/test/outbound/**/*.test.ts',
          ],
          exclude: ['apps/server/test/guards/*plans.test.ts'],
          globalSetup: 'apps/server/test/global-setup.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Loads many rows at once, and processors of every database in the cluster wait for long transactions.
        test: {
          name: 'size',
          include: ['apps/server/test/guards/*plans.test.ts'],
          globalSetup: 'apps/server/test/global-setup.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'faults',
          include: ['apps/server/test/faults/**/*.test.ts'],
          globalSetup: 'apps/server/test/global-setup.ts',
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
