import { ApiError } from '@waymark/client';
import { getFlow } from '@waymark/contract';
import { failureOf } from '../../run/failure.ts';
import type { Session } from '../../run/session.ts';

const PATIENCE_MS = 5_000;

export interface Values {
  readonly host: string | undefined;
  readonly org: string | undefined;
  readonly flow: string;
}

/** Returns the steps that remain before a pipeline can record evidence, as far as can be determined from here. */
export async function leftToDo(session: Session, { host, org, flow }: Values): Promise<string[]> {
  const missing = [
    ...(host === undefined ? ["Set the host: 'host: https://…' in .waymark.yml"] : []),
    ...(org === undefined ? ["Set the org: 'org: NAME' in .waymark.yml"] : []),
  ];
  if (host === undefined || org === undefined) {
    return [...missing, 'Sign in: waymark auth login', `Create the flow: waymark flow create ${flow}`];
  }
  try {
    const signal = AbortSignal.any([session.io.signal, AbortSignal.timeout(PATIENCE_MS)]);
    await session.client().call(getFlow, { params: { org, flow_name: flow }, signal });
    return [];
  } catch (error) {
    session.io.signal.throwIfAborted();
    if (error instanceof ApiError && error.status === 404) return [`Create the flow: waymark flow create ${flow}`];
    const { ending, message } = failureOf(error, host);
    const makeFlow = `Create the flow, if it does not exist: waymark flow create ${flow}`;
    if (ending === 'denied') return ['Sign in: waymark auth login', makeFlow];
    return [`Find out why the service did not respond: waymark doctor (${message})`, makeFlow];
  }
}
