import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest tests. Started first, so that none runs alone at the end. */
const LONG = [
  'apps/web/test/help.test.ts',
  'apps/web/test/journeys/running.test.ts',
  'apps/web/test/loading.test.ts',
  'apps/web/test/kit.test.ts',
  'apps/web/test/states.test.ts',
  'apps/web/test/journeys/people.test.ts',
  'apps/web/test/axe.test.ts',
  'apps/web/test/witnessed.test.ts',
  'apps/web/test/journeys/reading-evidence.test.ts',
  'apps/web/test/journeys/rules.test.ts',
  'apps/web/test/journeys/tracing.test.ts',
  'apps/web/test/screenshots.test.ts',
  'apps/web/test/html-urls.test.ts',
  'apps/cli/test/identity-pipelines.test.ts',
  'apps/server/test/guards/access-walk.test.ts',
  'apps/cli/test/exit-codes.test.ts',
  'apps/server/test/guards/bad-input.test.ts',
  'apps/cli/test/walks.test.ts',
  'apps/cli/test/pipelines.test.ts',
  'apps/cli/test/import.test.ts',
  'apps/cli/test/own-release.test.ts',
  'apps/cli/test/process.test.ts',
  'apps/server/src/bin/waymark-server.test.ts',
  'apps/server/src/bin/commands/doctor.test.ts',
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
