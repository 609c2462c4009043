import type { Facts } from '../ci-context.ts';
import type { Reader } from '../reader.ts';
import { readDrone } from './drone.ts';

export function readHarness(reader: Reader): Facts {
  const facts = readDrone(reader);
  return {
    ...facts,
    buildUrl: reader.address('CI_BUILD_LINK') ?? facts.buildUrl,
    buildNumber: reader.optional('HARNESS_BUILD_ID') ?? facts.buildNumber,
    actor: reader.first('HARNESS_USER_ID', 'DRONE_COMMIT_AUTHOR'),
  };
}
