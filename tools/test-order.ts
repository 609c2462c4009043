import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest tests. Started first, so that none runs alone at the end. */
const LONG = [
  'apps/web/test/html-urls.test.ts',
  'apps/server/test/guards/bad-input.test.ts',
  'apps/web/test/axe.test.ts',
  'apps/web/test/journeys/running.test.ts',
  'apps/web/test/journeys/reading-evidence.test.ts',
  'apps/web/test/journeys/people.test.ts',
  'apps/web/test/journeys/tracing.test.ts',
  'apps/web/test/screenshots.test.ts',
  'apps/cli/test/process.test.ts',
  'apps/server/src/bin/waymark-server.test.ts',
  'apps/cli/test/pipelines.test.ts',
  'apps/cli/test/walks.test.ts',
  'apps/server/src/bin/commands/identity.test.ts',
];

/** Durations are unknown on a machine that has never run the tests. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONG.findIndex((name) => moduleId.endsWith(name));
      return place === -1 ? LONG.length : place;
    };
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
