import {
  type Action,
  type EnvironmentInput,
  getEnvironment,
  getFlow,
  listActions,
  patchTags,
  putEnvironment,
  putEnvironmentNotification,
  putFlow,
  putFlowAction,
  validatePolicy,
} from '@waymark/contract';
import { CliError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';
import { currentControl, sendControl } from '../put-control.ts';
import { currentPolicy, sendPolicy } from '../put-policy.ts';
import { sameJson } from '../same-json.ts';
import { unlessMissing } from '../unless-missing.ts';
import { type Put, putOf } from '../write.ts';
import type { Document } from './documents.ts';

export const MANAGED = { key: 'managed-by', value: 'waymark-apply' } as const;

/** How a document is sent. */
export interface Sending {
  readonly dryRun: boolean;
  /** In a dry run: resources still to be created, as `kind name`, which the service does not know yet. */
  readonly coming: ReadonlySet<string>;
}

type Of<K extends Document['kind']> = Extract<Document, { kind: K }>;

export async function sendDocument(session: Session, document: Document, sending: Sending): Promise<Put> {
  switch (document.kind) {
    case 'flow':
      return sendFlow(session, document, sending);
    case 'environment':
      return sendEnvironment(session, document, sending);
    case 'control':
      return sendTaggedControl(session, document, sending);
    case 'policy':
      return sendCheckedPolicy(session, document, sending);
    case 'notification':
      return sendNotification(session, document, sending);
  }
}

async function sendFlow(session: Session, document: Of<'flow'>, { dryRun }: Sending): Promise<Put> {
  const { org, signal, client } = parts(session);
  const found = await unlessMissing(client.call(getFlow, { params: { org, flow_name: document.name }, signal }));
  const put = putOf(await client.call(putFlow, { params: { org }, body: document.body, dryRun, signal }));
  // A former name also leads to a flow, but to another one.
  return withTags(session, document, found?.name === document.name ? found.tags : undefined, put, dryRun);
}

async function sendEnvironment(
  session: Session,
  document: Of<'environment'>,
  { dryRun, coming }: Sending,
): Promise<Put> {
  const { org, signal, client } = parts(session);
  const found = await unlessMissing(client.call(getEnvironment, { params: { org, env_name: document.name }, signal }));
  const body = dryRun ? withoutComing(document.body, coming) : document.body;
  const put = putOf(await client.call(putEnvironment, { params: { org }, body, dryRun, signal }));
  const isLeftOut = put === 'unchanged' && !sameJson(body, document.body);
  const current = found?.name === document.name ? found.tags : undefined;
  return withTags(session, document, current, isLeftOut ? 'updated' : put, dryRun);
}

function withoutComing(body: EnvironmentInput, coming: ReadonlySet<string>): EnvironmentInput {
  const { policies, included_environments: included } = body;
  return {
    ...body,
    ...(policies && { policies: policies.filter((name) => !coming.has(`policy ${name}`)) }),
    ...(included && { included_environments: included.filter((name) => !coming.has(`environment ${name}`)) }),
  };
}

async function sendTaggedControl(session: Session, document: Of<'control'>, { dryRun }: Sending): Promise<Put> {
  const { identifier, ...change } = document.body;
  const before = await currentControl(session, identifier);
  const { put } = await sendControl(session, identifier, change, dryRun);
  return withTags(session, document, before?.tags, put, dryRun);
}

/** Sets missing tags. Other tags stay: another tool may own them. */
async function withTags(
  session: Session,
  { kind, name, tags }: Of<'flow' | 'environment' | 'control'>,
  current: Readonly<Record<string, string>> | undefined,
  put: Put,
  dryRun: boolean,
): Promise<Put> {
  const wanted = { ...tags, [MANAGED.key]: MANAGED.value };
  const missing = Object.entries(wanted).filter(([key, value]) => current?.[key] !== value);
  if (missing.length === 0) return put;
  if (dryRun && put === 'created') return put;
  const { org, signal, client } = parts(session);
  await client.call(patchTags, {
    params: { org, type: kind, id: name },
    body: { set_tags: Object.fromEntries(missing) },
    dryRun,
    signal,
  });
  return put === 'unchanged' ? 'updated' : put;
}

async function sendCheckedPolicy(session: Session, document: Of<'policy'>, sending: Sending): Promise<Put> {
  const { name, ...change } = document.body;
  if (sending.dryRun && (await waitsForControls(session, document, sending.coming))) {
    return (await currentPolicy(session, name)) ? 'updated' : 'created';
  }
  return (await sendPolicy(session, name, change, sending.dryRun)).put;
}

/** Whether its only errors are controls that are still to be created. */
async function waitsForControls(
  session: Session,
  { body }: Of<'policy'>,
  coming: ReadonlySet<string>,
): Promise<boolean> {
  if (![...coming].some((one) => one.startsWith('control '))) return false;
  const { org, signal, client } = parts(session);
  const { problems } = await client.call(validatePolicy, {
    params: { org },
    body: { policy_yaml: body.policy_yaml },
    signal,
  });
  const isComing = (message: string) => {
    const [, identifier] = /^There is no control '([^']+)'/.exec(message) ?? [];
    return identifier !== undefined && coming.has(`control ${identifier}`);
  };
  const others = problems.filter(({ message }) => !isComing(message));
  if (others.length === 0) return problems.length > 0;
  throw new CliError('usage', 'The policy is not valid', {
    why: others.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`).join('; '),
  });
}

async function sendNotification(
  session: Session,
  { body }: Of<'notification'>,
  { dryRun, coming }: Sending,
): Promise<Put> {
  const { org, signal, client } = parts(session);
  const type = 'flows' in body ? 'flow' : 'env';
  const all = await client.call(listActions, { params: { org }, signal });
  const before = all.find((one) => one.type === type && one.name === body.name);
  const isHere = (kind: string) => (name: string) => !(dryRun && coming.has(`${kind} ${name}`));
  const scopes = 'flows' in body ? body.flows.filter(isHere('flow')) : body.environments.filter(isHere('environment'));
  // It needs at least one target, so there is nothing to ask the service about.
  if (scopes.length === 0) return before ? 'updated' : 'created';
  const { status, body: after } =
    'flows' in body
      ? await client.exchange(putFlowAction, { params: { org }, body: { ...body, flows: scopes }, dryRun, signal })
      : await client.exchange(putEnvironmentNotification, {
          params: { org },
          body: { ...body, environments: scopes },
          dryRun,
          signal,
        });
  if (status === 201 || !before) return 'created';
  return sameJson(contentOf(before), contentOf(after)) ? 'unchanged' : 'updated';
}

function contentOf(action: Action): object {
  const scopes = action.type === 'flow' ? action.flows : action.environments;
  const targets = action.targets.map((target) =>
    target.type === 'EMAIL' ? target.emails : [target.webhook, 'context' in target ? target.context : null],
  );
  return { scopes: scopes.toSorted(), triggers: action.triggers.toSorted(), targets };
}

function parts(session: Session) {
  return { org: session.need('org'), signal: session.io.signal, client: session.client() };
}
