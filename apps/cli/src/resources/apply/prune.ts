import {
  archiveControl,
  archiveEnvironment,
  archiveFlow,
  listControls,
  listEnvironments,
  listFlows,
} from '@waymark/contract';
import type { Session } from '../../run/session.ts';
import type { Document } from './documents.ts';
import { MANAGED } from './send-document.ts';

export interface Leftover {
  readonly kind: 'flow' | 'environment' | 'control';
  readonly name: string;
}

/**
 * Returns resources that an earlier run created and no file declares any more. Policies and notifications have no tags
 * to identify them.
 */
export async function findLeftovers(session: Session, documents: readonly Document[]): Promise<Leftover[]> {
  const asked = {
    params: { org: session.need('org') },
    query: { tag: `${MANAGED.key}:${MANAGED.value}` },
    signal: session.io.signal,
  };
  const client = session.client();
  const declared = new Set(documents.map(({ kind, name }) => `${kind} ${name}`));
  const found: Leftover[] = [];
  for await (const { name } of client.items(listEnvironments, asked)) found.push({ kind: 'environment', name });
  for await (const { name } of client.items(listFlows, asked)) found.push({ kind: 'flow', name });
  for await (const { identifier } of client.items(listControls, asked)) {
    found.push({ kind: 'control', name: identifier });
  }
  return found.filter(({ kind, name }) => !declared.has(`${kind} ${name}`));
}

export async function archiveLeftover(session: Session, { kind, name }: Leftover, dryRun: boolean): Promise<void> {
  const org = session.need('org');
  const sent = { dryRun, signal: session.io.signal };
  const client = session.client();
  if (kind === 'flow') await client.call(archiveFlow, { params: { org, flow_name: name }, ...sent });
  else if (kind === 'environment') await client.call(archiveEnvironment, { params: { org, env_name: name }, ...sent });
  else await client.call(archiveControl, { params: { org, identifier: name }, ...sent });
}
