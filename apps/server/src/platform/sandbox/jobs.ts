import { checkType } from './check-type.ts';
import { judgeCustom } from './judge-custom.ts';
import { readFindings, readJunit, readSbom, verifyInToto } from './read-evidence.ts';
import { problemsInYaml } from './read-yaml.ts';
import { searchNames } from './search-names.ts';

/** What the sandbox can be asked to do. A job is a function of its input alone; both ends must bear being cloned. */
export const jobs = {
  checkType,
  judgeCustom,
  readJunit,
  readFindings,
  readSbom,
  verifyInToto,
  searchNames,
  problemsInYaml,
};

export type Jobs = typeof jobs;
