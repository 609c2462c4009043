import { type EnvironmentType, getEnvironment, putEnvironment } from '@waymark/contract';
import { unlessMissing } from '../resources/unless-missing.ts';
import { addTags } from './add-tags.ts';
import { carrySnapshot } from './carry-snapshot.ts';
import { attempt, type ImportRun } from './import-run.ts';
import { differences } from './same-content.ts';
import type { SourceEnvironment } from './source-contracts.ts';
import type { Item } from './tally.ts';

const LOGICAL = 'logical';

/** Carries the environments; a logical one comes after its members. */
export async function carryEnvironments(run: ImportRun): Promise<void> {
  const logical: SourceEnvironment[] = [];
  for await (const environment of run.source.environments()) {
    if (environment.type === LOGICAL) logical.push(environment);
    else await carryOne(run, environment);
  }
  for (const environment of logical) await carryOne(run, environment);
}

async function carryOne(run: ImportRun, environment: SourceEnvironment): Promise<void> {
  const { name, type, policies, last_reported_at: reportedAt } = environment;
  const key = `environment ${name}`;
  if (run.state.isDone(key)) return;
  const items = await attempt(run, 'environment', name, () => carryEnvironment(run, environment));
  run.state.record(key, items);
  if (policies && policies.length > 0) {
    run.say(`Environment ${name}: its policies are not imported; attach ${policies.join(', ')} in the target`);
  }
  const isCarried = !items.some(({ outcome }) => outcome === 'failed');
  if (isCarried && type !== LOGICAL && reportedAt !== null) await carrySnapshot(run, environment);
}

async function carryEnvironment(run: ImportRun, environment: SourceEnvironment): Promise<Item[]> {
  const { client, org, signal } = run.target;
  const { name } = environment;
  const found = await unlessMissing(client.call(getEnvironment, { params: { org, env_name: name }, signal }));
  const existing = found?.name === name ? found : undefined;
  const wanted = contentOf(environment);
  const different = existing ? differences(wanted, existing) : [];
  if (different.length > 0) {
    const reason = `The target has an environment of this name with another ${different.join(', ')}; the import did not change it`;
    return [{ kind: 'environment', name, outcome: 'not_carried', reason }];
  }
  if (!existing && !run.isDryRun) {
    await client.call(putEnvironment, { params: { org }, body: { name, ...wanted }, signal });
  }
  const isTagged = await addTags(run, 'env', name, { wanted: environment.tags, existing: existing?.tags });
  return [{ kind: 'environment', name, outcome: existing && !isTagged ? 'already_there' : 'carried' }];
}

function contentOf(environment: SourceEnvironment) {
  const { type, description, include_scaling, require_provenance, included_environments: members } = environment;
  return {
    // The target refuses a type that it does not have.
    type: type as EnvironmentType,
    ...(description && { description }),
    ...(include_scaling && { include_scaling }),
    ...(require_provenance && { require_provenance }),
    ...(members && members.length > 0 && { included_environments: members }),
  };
}
