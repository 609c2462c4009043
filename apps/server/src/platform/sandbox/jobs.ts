import { checkType } from './check-type.ts';
import { judgeCustom } from './judge-custom.ts';
import { readFindings, readJunit, readSbom, readVex, verifyInToto } from './read-evidence.ts';
import { problemsInYaml } from './read-yaml.ts';
import { searchNames } from './search-names.ts';

/** The jobs of the sandbox. A job is a function of its input alone; input and result must be cloneable. */
export const jobs = {
  checkType,
  judgeCustom,
  readJunit,
  readFindings,
  readSbom,
  readVex,
  verifyInToto,
  searchNames,
  problemsInYaml,
};

export type SandboxJobs = typeof jobs;
