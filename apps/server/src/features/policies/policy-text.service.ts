import { POLICY_MAX_BYTES, type PolicyProblem } from '@waymark/contract';
import { type ControlMention, type Policy, parsePolicy, type Reads } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { invalid, type Problem, tooLarge } from '../../platform/errors.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { screenYaml } from '../../platform/sandbox/screen-yaml.ts';
import { lockControls } from './policy.store.ts';

/** Throws the problems of a text that is too large to be read on the main thread first. */
export async function screenPolicy(ctx: Ctx, sandbox: Sandbox, policyYaml: string): Promise<void> {
  const problems = await problemsOfLarge(ctx, sandbox, policyYaml);
  if (problems.length > 0) throw refusal(problems);
}

/** Throws the problems of a policy's text. Whether the controls that it names exist is checked elsewhere. */
export function requireValid(policyYaml: string): Policy {
  const read = readPolicy(policyYaml);
  if ('problems' in read) throw refusal(read.problems);
  return read.policy;
}

/** Throws unless all controls that the policy names exist, and locks them until the transaction ends. */
export async function requireControls(ctx: Ctx, policy: Policy): Promise<void> {
  const problems = await controlProblems(ctx, policy);
  if (problems.length > 0) throw refusal(problems);
}

/** All problems of a policy's text. The controls that it names are known only if it can be parsed. */
export async function listProblems(ctx: Ctx, sandbox: Sandbox, policyYaml: string): Promise<readonly PolicyProblem[]> {
  const problems = await problemsOfLarge(ctx, sandbox, policyYaml);
  if (problems.length > 0) return problems;
  const read = readPolicy(policyYaml);
  return 'problems' in read ? read.problems : controlProblems(ctx, read.policy);
}

export function controlsOf({ controls }: Policy): string[] {
  return [...new Set(controls.map(({ identifier }) => identifier))].sort();
}

/** What can change the verdict of a policy besides evidence, by the names used in expressions. */
export function readsOf({ reads }: Policy): string[] {
  const named = ['flowName', 'artifactName', 'fingerprint', 'environmentName'] as const;
  return [
    ...named.filter((name) => reads[name]).map((name) => NAMES[name]),
    ...reads.flowTags.map((key) => `flow.tags.${key}`),
    ...reads.environmentTags.map((key) => `environment.tags.${key}`),
  ].sort();
}

const NAMES = {
  flowName: 'flow.name',
  artifactName: 'artifact.name',
  fingerprint: 'artifact.fingerprint',
  environmentName: 'environment.name',
} as const satisfies Partial<Record<keyof Reads, string>>;

function problemsOfLarge(ctx: Ctx, sandbox: Sandbox, text: string): Promise<readonly PolicyProblem[]> {
  requireSize(text);
  return screenYaml(ctx.org, sandbox, { kind: 'policy', field: 'policy_yaml', text });
}

function readPolicy(policyYaml: string): ReturnType<typeof parsePolicy> {
  requireSize(policyYaml);
  return parsePolicy(policyYaml);
}

function requireSize(policyYaml: string): void {
  if (Buffer.byteLength(policyYaml) > POLICY_MAX_BYTES) {
    throw tooLarge(`The policy is larger than ${POLICY_MAX_BYTES} bytes`);
  }
}

async function controlProblems(ctx: Ctx, policy: Policy): Promise<PolicyProblem[]> {
  if (policy.controls.length === 0) return [];
  const found = await lockControls(ctx.db, ctx.org, controlsOf(policy));
  const known = new Map(found.map((control) => [control.identifier, control]));
  return policy.controls.flatMap((mention) => {
    const control = known.get(mention.identifier);
    if (!control) return [problemAt(mention, `There is no control '${mention.identifier}' in this org.`)];
    if (!control.archived_at) return [];
    return [problemAt(mention, `The control '${mention.identifier}' is archived.`)];
  });
}

function problemAt({ path, line, column }: ControlMention, message: string): PolicyProblem {
  return { path, line, column, message };
}

/** Spec 7: errors are keyed by the field that was sent. Line and column give the position in its text. */
function refusal(problems: readonly PolicyProblem[]): Problem {
  const messages = problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  return invalid('The policy is not valid', { policy_yaml: messages.join('\n') });
}

/** List items are written in brackets: `attestations[0].type`. */
export function inBrackets(path: string): string {
  return path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
}
