import { getFlow, putFlow } from '@waymark/contract';
import { unlessMissing } from '../resources/unless-missing.ts';
import { addTags } from './add-tags.ts';
import type { ImportRun } from './import-run.ts';
import { differences } from './same-content.ts';
import type { SourceFlow } from './source-contracts.ts';
import type { Item } from './tally.ts';

/** Creates the flow with its template and tags. A flow that differs stays as it is: it may be in use. */
export async function carryFlow(run: ImportRun, flow: SourceFlow): Promise<Item[]> {
  const { client, org, signal } = run.target;
  const found = await unlessMissing(client.call(getFlow, { params: { org, flow_name: flow.name }, signal }));
  // A former name also leads to a flow, but to another one.
  const existing = found?.name === flow.name ? found : undefined;
  const wanted = contentOf(flow);
  const different = existing ? differences(wanted, existing) : [];
  const item = { kind: 'flow', name: flow.name } as const;
  if (different.length > 0) {
    const reason = `The target has a flow of this name with another ${different.join(', ')}; the import did not change it`;
    return [{ ...item, outcome: 'not_carried', reason }];
  }
  if (!existing && !run.isDryRun) {
    await client.call(putFlow, { params: { org }, body: { name: flow.name, ...wanted }, signal });
  }
  const isTagged = await addTags(run, 'flow', flow.name, { wanted: flow.tags, existing: existing?.tags });
  return [{ ...item, outcome: existing && !isTagged ? 'already_there' : 'carried' }];
}

function contentOf({ description, visibility, template, repo_url }: SourceFlow) {
  return {
    ...(description && { description }),
    ...(visibility && { visibility }),
    ...(template && template.length > 0 && { template }),
    ...(repo_url && { repo_url }),
  };
}
