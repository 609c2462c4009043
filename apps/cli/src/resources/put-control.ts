import { type Control, createControl, getControl, updateControl } from '@waymark/contract';
import { CliError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';
import { sameJson } from './same-json.ts';
import { unlessMissing } from './unless-missing.ts';
import type { Put } from './write.ts';

interface ControlChange {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly links?: Record<string, string> | null | undefined;
}

/** Creates the control, or changes the existing one. An identifier is never reused, even after archiving. */
export async function sendControl(
  session: Session,
  identifier: string,
  change: ControlChange,
  dryRun: boolean,
): Promise<{ put: Put; control: Control }> {
  const org = session.need('org');
  const sent = { dryRun, signal: session.io.signal };
  const before = await currentControl(session, identifier);
  if (!before) {
    const body = { identifier, ...change };
    return { put: 'created', control: await session.client().call(createControl, { params: { org }, body, ...sent }) };
  }
  if (before.archived) {
    throw new CliError('conflict', `Control '${identifier}' is archived`, {
      fix: `Unarchive it with 'waymark control unarchive ${identifier}'`,
    });
  }
  const control = await session.client().call(updateControl, { params: { org, identifier }, body: change, ...sent });
  return { put: sameJson(contentOf(before), contentOf(control)) ? 'unchanged' : 'updated', control };
}

export function currentControl(session: Session, identifier: string): Promise<Control | undefined> {
  const params = { org: session.need('org'), identifier };
  return unlessMissing(session.client().call(getControl, { params, signal: session.io.signal }));
}

export function contentOf({ name, description, links }: Control): object {
  return { name, description, links };
}
