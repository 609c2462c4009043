import { setTimeout } from 'node:timers/promises';
import type { Client, Result } from './client.ts';
import { type Action, type Command, complaintsAbout, type Server, type Step } from './step.ts';

/** How long a worker may take to process an event. It waits for open transactions in the same PostgreSQL. */
const SETTLED_WITHIN_MS = 60_000;
const POLL_MS = 250;

interface Outcome {
  readonly title: string;
  /** With the output of the client, if there are any. */
  readonly complaints: readonly string[];
}

export function runStep(step: Step, client: Client, server: Server): Promise<Outcome> {
  return 'does' in step ? act(step, server) : command(step, client);
}

async function act({ does, run }: Action, server: Server): Promise<Outcome> {
  return { title: does, complaints: await run(server) };
}

async function command(step: Command, client: Client): Promise<Outcome> {
  const args = typeof step.args === 'function' ? step.args() : step.args;
  const title = [...Object.entries(step.env ?? {}).map((setting) => setting.join('=')), ...args].join(' ');
  const deadline = Date.now() + (step.settles ? SETTLED_WITHIN_MS : 0);
  const { complaints, result } = await attempt(step, () => client(args, step.env), deadline);
  if (complaints.length === 0) return { title, complaints };
  return { title, complaints: [...complaints, `exit ${result.exit}`, result.out, result.err] };
}

interface Attempt {
  readonly complaints: readonly string[];
  readonly result: Result;
}

async function attempt(step: Command, ask: () => Promise<Result>, deadline: number): Promise<Attempt> {
  const result = await ask();
  const complaints = complaintsAbout(step, result);
  if (complaints.length === 0 || Date.now() >= deadline) return { complaints, result };
  await setTimeout(POLL_MS);
  return attempt(step, ask, deadline);
}
