import type { ReplyOf } from '@waymark/client';
import {
  type Action,
  EnvironmentNotificationInput,
  FlowNotificationInput,
  putEnvironmentNotification,
  putFlowAction,
  updateEnvironmentNotification,
} from '@waymark/contract';
import { parse } from 'yaml';
import { readInput } from '../../resources/read-input.ts';
import { inWords, noteDryRun, writing } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { targetText, watchedOf } from './notification-text.ts';
import { triggerText } from './triggers.ts';

type Input = EnvironmentNotificationInput | FlowNotificationInput;

/** Sends it: to the notification of that name or number, or as a new one. */
export async function putNotification(session: Session, body: Input, before?: Action): Promise<Outcome> {
  const { status, action } = await send(session, body, before);
  noteDryRun(session);
  for (const { type, id } of action.targets) {
    if (type === 'WEBHOOK' && status === 201)
      session.say(`Print the secret of its webhook with 'waymark notify secret get ${id}'`);
  }
  return {
    data: action,
    text: `${inWords(session, `Notification '${action.name}' (number ${action.number}) was ${status === 201 ? 'created' : 'changed'}`)}: ${summaryOf(action)}`,
  };
}

async function send(
  session: Session,
  body: Input,
  before: Action | undefined,
): Promise<{ status: number; action: Action }> {
  const params = { org: session.need('org') };
  const call = { params, ...writing(session) };
  if ('flows' in body) {
    const { status, body: action } = await session.client().exchange(putFlowAction, { ...call, body });
    return { status, action };
  }
  if (!before) {
    const { status, body: action } = await session.client().exchange(putEnvironmentNotification, { ...call, body });
    return { status, action };
  }
  const action: ReplyOf<typeof updateEnvironmentNotification> = await session
    .client()
    .call(updateEnvironmentNotification, { ...call, params: { ...params, number: String(before.number) }, body });
  return { status: 200, action };
}

function summaryOf(action: Action): string {
  const targets = action.targets.map(targetText).join('; ');
  return `${watchedOf(action).join(', ')} on ${action.triggers.map(triggerText).join(', ')} to ${targets}`;
}

/** Reads a whole notification from a file, as `notify get -o json` prints it. */
export async function readNotification(session: Session, file: string): Promise<Input> {
  const content = readText(await readInput(session, file), file);
  const schema = 'flows' in content ? FlowNotificationInput : EnvironmentNotificationInput;
  const read = schema.safeParse(content);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw usageError(
    `${file}: ${issue?.path.join('.') || 'it'}: ${issue?.message}`,
    "See 'waymark notify get NAME -o yaml' for an example",
  );
}

function readText(text: string, file: string): object {
  try {
    const content: unknown = parse(text);
    if (typeof content === 'object' && content !== null) return content;
  } catch {
    // The text may hold secret URLs, so the parser's message is not shown.
  }
  throw usageError(`${file} does not contain a notification in YAML or JSON`);
}
