import { invalid } from '../errors.ts';

const pathPattern = /^ledger(?:\/[a-z0-9][a-z0-9.-]*)+$/;
const MAX_LENGTH = 512;

/** Names of evidence begin with the ID of an org, so none is below `ledger`. No path can leave it. */
export function checkObjectPath(path: string): string {
  if (path.length > MAX_LENGTH || !pathPattern.test(path)) {
    throw invalid('The path of an object is "ledger" and names of lower-case letters, digits, dots, and hyphens');
  }
  return path;
}
