import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { ApiError } from '@waymark/client';
import { beginTrail } from '@waymark/contract';
import { exportVariables } from '../../ci/export-variables.ts';
import { notesOf, ORIGIN_FLAG, withFacts } from '../../evidence/attest-flags.ts';
import { contextLine, tellChanges, tellDoubts } from '../../evidence/build-facts.ts';
import { writeCiLines } from '../../evidence/ci-output.ts';
import { tellDryRun } from '../../evidence/record-attestation.ts';
import { endingOf, type Sent, sendEvidence } from '../../evidence/send-evidence.ts';
import { inWords } from '../../resources/write.ts';
import { CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

export const command = defineCommand({
  description:
    'A trail is one run of a flow. Beginning an existing trail again changes only the values you set; omitted flags ' +
    'keep their values. In CI, later steps of the job use the flow and the trail automatically.',
  examples: [
    { say: 'In CI, named after the commit being built', run: 'waymark begin trail --flow shop' },
    {
      say: 'With its own name and template',
      run: 'waymark begin trail release-1 --flow shop --template template.yml',
    },
  ],
  settings: ['flow', 'trail', 'dryRun', 'onUnavailable', 'strict'],
  build: (command) =>
    withFacts(command.argument('[name]', 'name of the trail (default: the commit being built)'))
      .option(...ORIGIN_FLAG)
      .option('--template <file>', 'template (YAML) for this trail only'),
  async run(session, [name], { template, ...flags }) {
    const org = session.need('org');
    const flow = session.need('flow');
    const trail = name ?? session.need('trail');
    if (name === '')
      throw usageError('The name of the trail is empty', 'Check that all variables in the command line are set');
    session.say(contextLine(session));
    tellDoubts(session, flags.commit);
    tellChanges(session, flags.commit);
    const sent = await sendEvidence(
      session,
      beginTrail,
      {
        params: { org, flow_name: flow },
        body: { ...notesOf(session, flags), name: trail },
        ...(template !== undefined && {
          file: { name: basename(template), content: readFileSync(resolve(session.io.cwd, template)) },
        }),
      },
      [org, flow, trail],
    ).catch((error: unknown) => throwWithFlow(error, flow));
    tellDryRun(session);
    if (!session.settings.dryRun) exportToLaterSteps(session, flow, trail);
    return {
      ending: endingOf(session, [sent]),
      data: { flow, trail, ...stateOf(sent) },
      text: inWords(session, `Trail ${trail} of ${flow}${outcomeText(sent)}`),
      page: session.pageOf(org, 'flows', flow, 'trails', trail),
    };
  },
});

/** A flow is never created implicitly: a mistyped name would become a flow that nobody uses. */
function throwWithFlow(error: unknown, flow: string): never {
  if (!(error instanceof ApiError) || error.status !== 404 || !error.message.startsWith('Flow ')) throw error;
  throw new CliError('notFound', `${error.message} (404)`, {
    fix: `Create it with 'waymark flow create ${flow}', or see existing flows with 'waymark flow list'`,
    requestId: error.requestId,
    cause: error,
  });
}

function exportToLaterSteps(session: Session, flow: string, trail: string): void {
  const { lines, exportedTo } = exportVariables(session.ci().provider, session.io.env, {
    WAYMARK_FLOW: flow,
    WAYMARK_TRAIL: trail,
  });
  writeCiLines(session, lines);
  if (exportedTo !== undefined)
    session.detail(`WAYMARK_FLOW and WAYMARK_TRAIL are set for later steps (${exportedTo})`);
}

function stateOf(sent: Sent): object {
  if (sent.kind === 'recorded') return { created: sent.status === 201, message: sent.body };
  return sent.kind === 'spooled' ? { spooled: sent.id } : { ignored: true };
}

function outcomeText(sent: Sent): string {
  if (sent.kind === 'spooled') return ' is spooled';
  if (sent.kind === 'ignored') return ' was not sent';
  return sent.status === 201 ? ' begun' : ' is up to date';
}
