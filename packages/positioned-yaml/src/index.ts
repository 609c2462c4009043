export type { Checked, Finding } from './check-yaml.ts';
export { checkYaml } from './check-yaml.ts';
export { anyOf, didYouMean, inWords, quoted } from './in-words.ts';
export type { Problem } from './problem.ts';
export { describeProblems } from './problem.ts';
