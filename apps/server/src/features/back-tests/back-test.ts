import { SIMULATED_DAYS_MAX, SIMULATED_ENVIRONMENTS_MAX, type SimulationInput } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { fromEpochSeconds } from '../../platform/time.ts';
import { type EnvironmentView, listEnvironmentsFrom, readEnvironment } from '../environments/environment.reads.ts';
import { parseCached } from '../policies/parsed-policy.reads.ts';
import { findPolicyVersion } from '../policies/policy.reads.ts';
import { requireControls, requireValid } from '../policies/policy-text.service.ts';
import { requirePhysical } from '../snapshots/read/snapshot.reads.ts';
import type { BackTest } from './back-test.service.ts';
import { listKnownWaivers } from './back-test.store.ts';
import type { TriedPolicy } from './back-test-outcome.ts';

const DAY_MS = 86_400_000;
const DAYS_UNLESS_GIVEN = 30;

/** Resolves a request, or throws what is wrong with it. A null member counts as absent. */
export async function readBackTest(ctx: Ctx, input: SimulationInput): Promise<BackTest> {
  requireSense(input);
  return {
    span: spanOf(ctx, input),
    policy: await findTried(ctx, input),
    isAlone: input.alone ?? false,
    withoutWaivers: await findWaivers(ctx, input),
    environments: await findEnvironments(ctx, input),
  };
}

function requireSense(input: SimulationInput): void {
  const { policy_yaml: text, policy_name: name, replaces, policy_version: version } = input;
  if (text == null && name == null && input.without_allow_listing == null) {
    throw invalidField('policy_yaml', 'is required, or policy_name, or without_allow_listing');
  }
  if (text != null && name != null) throw invalidField('policy_name', 'cannot be combined with policy_yaml');
  if (replaces != null && text == null) throw invalidField('replaces', 'requires policy_yaml');
  if (version != null && name == null) throw invalidField('policy_version', 'requires policy_name');
  if (input.alone && text == null && name == null) throw invalidField('alone', 'requires policy_yaml or policy_name');
}

async function findTried(ctx: Ctx, input: SimulationInput): Promise<TriedPolicy | null> {
  const { policy_yaml: text, policy_name: name, replaces, policy_version: version } = input;
  if (name != null) {
    const found = await findPolicyVersion(ctx, name, version ?? undefined);
    return { policy: parseCached(found.policy_yaml), identity: found, policyId: found.policy_id };
  }
  if (text == null) return null;
  const policy = requireValid(text);
  await requireControls(ctx, policy);
  const replaced = replaces == null ? null : await findPolicyVersion(ctx, replaces);
  return { policy, identity: { name: replaces ?? 'simulated', version: 0 }, policyId: replaced?.policy_id ?? null };
}

function spanOf(ctx: Ctx, { from_timestamp: start, to_timestamp: end }: SimulationInput): BackTest['span'] {
  const to = end == null ? ctx.now() : fromEpochSeconds(end);
  const from = start == null ? new Date(to.getTime() - DAYS_UNLESS_GIVEN * DAY_MS) : fromEpochSeconds(start);
  if (from > to) throw invalidField('from_timestamp', 'must not be after to_timestamp (default: now)');
  if (to.getTime() - from.getTime() > SIMULATED_DAYS_MAX * DAY_MS) {
    throw invalidField('from_timestamp', `must be at most ${SIMULATED_DAYS_MAX} days before to_timestamp`);
  }
  return { from, to };
}

async function findWaivers(ctx: Ctx, { without_allow_listing: without }: SimulationInput): Promise<Set<string>> {
  const ids = [without ?? []].flat();
  if (ids.length === 0) return new Set();
  const known = new Set((await listKnownWaivers(ctx.db, { org_id: ctx.org, ids })).map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw notFound('Waiver', missing);
  return known;
}

async function findEnvironments(ctx: Ctx, { environments: names }: SimulationInput): Promise<EnvironmentView[]> {
  if (names == null) return listAllPhysical(ctx);
  // An environment may be named twice: by its current and by an old name.
  const found = new Map<string, EnvironmentView>();
  for (const [i, name] of names.entries()) {
    const environment = await readEnvironment(ctx, name);
    await requirePhysical(ctx, environment, `environments.${i}`);
    found.set(environment.id, environment);
  }
  return [...found.values()];
}

async function listAllPhysical(ctx: Ctx): Promise<EnvironmentView[]> {
  const everything = { nameContains: undefined, types: [], tags: [], sort: 'name', direction: 'asc' } as const;
  const physical: EnvironmentView[] = [];
  let after: string | undefined;
  do {
    const { environments, next } = await listEnvironmentsFrom(ctx, everything, after);
    physical.push(...environments.filter(({ type }) => type !== 'logical'));
    after = next;
  } while (after !== undefined);
  if (physical.length > SIMULATED_ENVIRONMENTS_MAX) {
    const most = `and at most ${SIMULATED_ENVIRONMENTS_MAX} can be tested at once`;
    throw invalidField('environments', `is required: the org has ${physical.length} environments, ${most}`);
  }
  return physical;
}
