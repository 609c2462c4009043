import { ApiError } from '@waymark/client';
import { getEnvironment, getFlow } from '@waymark/contract';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { openPage } from '../../run/open-page.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description:
    'Opens the page in a browser, or prints its URL if there is no browser. REF is a trail as FLOW/TRAIL, a ' +
    'fingerprint, a commit, a snapshot such as prod#12, or the name of an environment or a flow; without REF, opens ' +
    'the org.',
  examples: [
    { say: 'The org', run: 'waymark open' },
    { say: 'A trail', run: 'waymark open shop/release-1' },
    { say: 'What ran three snapshots ago', run: "waymark open 'prod~3'" },
  ],
  build: (command) => command.argument('[ref]', 'what to open'),
  async run(session, [ref]) {
    const page = await pageFor(session, ref);
    const { output, json, jq } = session.settings;
    if (output !== 'table' || json !== undefined || jq !== undefined) return { data: { url: page }, text: page };
    openPage(session.io, { page });
    return {};
  },
});

async function pageFor(session: Session, ref: string | undefined): Promise<string> {
  const org = session.need('org');
  session.need('host');
  if (ref === undefined) return session.pageOf(org);
  const digest = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(ref)?.[1];
  if (digest !== undefined) return session.pageOf(org, 'artifacts', digest.toLowerCase());
  if (/^[0-9a-f]{7,63}$/.test(ref)) return session.pageOf(org, 'trace', ref);
  const [, flow, trail] = /^([^/]+)\/(.+)$/s.exec(ref) ?? [];
  if (flow !== undefined && trail !== undefined) return session.pageOf(org, 'flows', flow, 'trails', trail);
  const [, environment, expression] = /^([^#~@]+)([#~@].+)$/s.exec(ref) ?? [];
  if (environment !== undefined && expression !== undefined) {
    return session.pageOf(org, 'environments', environment, 'snapshots', expression.replace(/^#/, ''));
  }
  return pageOfName(session, org, ref);
}

async function pageOfName(session: Session, org: string, name: string): Promise<string> {
  const { signal } = session.io;
  const client = session.client();
  if (await isThere(client.call(getEnvironment, { params: { org, env_name: name }, signal }))) {
    return session.pageOf(org, 'environments', name);
  }
  if (await isThere(client.call(getFlow, { params: { org, flow_name: name }, signal }))) {
    return session.pageOf(org, 'flows', name);
  }
  throw new CliError('notFound', `No environment or flow '${oneLine(name)}' in ${org}`, {
    fix: "Run 'waymark env list' or 'waymark flow list' to list existing ones",
  });
}

async function isThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return false;
    throw error;
  }
}
