import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tools/test-order.ts';
import { isFull } from './tools/test-size.ts';

const IN_A_PROCESS_OF_ITS_OWN = [
  // Replaces the system's DNS, which would affect every other file as well.
  'apps/server/test/outbound/system-names.test.ts',
  // Garbage of other tests would hide growth, and takes long to collect.
  'apps/server/src/**/*-memory.test.ts',
];

/** They read the same history as the browser. */
const SEE_THE_DEMO = ['tools/demo/seed.test.ts', 'tools/demo/back-test.test.ts'];

/** One at a time: they start Docker or a Kubernetes, and enter other roots. */
const INSTALLS = ['tools/install/{devcontainer,extras,install,upgrade}.test.ts', 'tools/kubernetes/*.test.ts'];

/** The timeout of a test for anything that has to happen. It only ends a test that would wait forever. */
const waitsLong = { poll: { timeout: 180_000 } };

/**
 * Files of the first two groups share the modules of their worker: nothing of ours remembers anything between two
 * tests, and loading the server once for each file was a third of the time.
 *
 * Group orders run one after another: what measures or breaks things has the machine to itself.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Otherwise a failure names only how many things differ.
    chaiConfig: { truncateThreshold: 1_000 },
    projects: [
      {
        test: {
          name: 'pure',
          expect: waitsLong,
          include: ['packages/**/*.test.ts', 'tools/**/*.test.ts', 'apps/web/src/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...SEE_THE_DEMO, ...INSTALLS],
          setupFiles: 'tools/property-seed.ts',
          // The default of 5 s is less than what properties take on a busy machine, and tools are installed in hooks.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'server',
          expect: waitsLong,
          include: [
            'apps/cli/src/**/*.test.ts',
            'apps/cli/test/**/*.test.ts',
            'apps/server/src/**/*.test.ts',
            'apps/server/test/guards/**/*.test.ts',
            'apps/server/test/outbound/**/*.test.ts',
          ],
          exclude: ['apps/server/test/guards/*plans.test.ts', ...IN_A_PROCESS_OF_ITS_OWN],
          globalSetup: 'apps/server/test/global-setup.ts',
          setupFiles: 'tools/property-seed.ts',
          testTimeout: 600_000,
          hookTimeout: 600_000,
          // More than cores: a worker often waits for PostgreSQL, or for a process that it started.
          maxWorkers: 3,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'alone',
          expect: waitsLong,
          include: IN_A_PROCESS_OF_ITS_OWN,
          globalSetup: 'apps/server/test/global-setup.ts',
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // The web application in a browser, on the real server.
        test: {
          name: 'web',
          expect: waitsLong,
          include: ['apps/web/test/**/*.test.ts', ...SEE_THE_DEMO],
          globalSetup: 'apps/web/test/global-setup.ts',
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        // Loads many rows at once, and processors of every database in the cluster wait for long transactions.
        test: {
          name: 'size',
          expect: waitsLong,
          include: ['apps/server/test/guards/*plans.test.ts'],
          globalSetup: 'apps/server/test/global-setup.ts',
          testTimeout: 600_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'faults',
          expect: waitsLong,
          include: ['apps/server/test/faults/**/*.test.ts'],
          globalSetup: 'apps/server/test/global-setup.ts',
          // Hundreds of kills take longer, the more so on a busy machine.
          testTimeout: isFull ? 5_400_000 : 1_800_000,
          hookTimeout: 600_000,
          // In full size they measure as well, and have the machine to themselves.
          maxWorkers: isFull ? 1 : 3,
          sequence: { groupOrder: 5 },
        },
      },
      {
        // In full size it puts servers and callers on cores of their own.
        test: {
          name: 'hostile',
          expect: waitsLong,
          include: ['apps/server/test/hostile/**/*.test.ts'],
          globalSetup: 'apps/server/test/global-setup.ts',
          testTimeout: 1_800_000,
          hookTimeout: 600_000,
          maxWorkers: 1,
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          name: 'install',
          include: INSTALLS,
          globalSetup: 'apps/server/test/global-setup.ts',
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
          maxWorkers: 1,
          sequence: { groupOrder: 7 },
        },
      },
    ],
  },
});
