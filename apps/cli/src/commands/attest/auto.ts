import { type AttestFlags, attestSettings, ORIGIN_FLAG, withFailsAt, withNotes } from '../../evidence/attest-flags.ts';
import { contextLine, tellDoubts } from '../../evidence/build-facts.ts';
import { annotate, summarise } from '../../evidence/ci-output.ts';
import {
  type Plan,
  type Planned,
  type PlanOptions,
  planAny,
  planChosen,
  planRules,
  type Skipped,
} from '../../evidence/plan-evidence.ts';
import {
  dataOf,
  lineOf,
  type Recorded,
  recordAttestation,
  tellDryRun,
  trailPage,
  warnInCi,
} from '../../evidence/record-attestation.ts';
import { endingOf } from '../../evidence/send-evidence.ts';
import { hasTestThatRan, warnWithoutTests } from '../../evidence/tests-that-ran.ts';
import { type CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Ending } from '../../run/exit-codes.ts';
import { failureOf } from '../../run/failure.ts';
import { markdownTable } from '../../run/output.ts';
import type { Session } from '../../run/session.ts';
import { plain, type Style } from '../../run/style.ts';
import { oneLine, tableOf } from '../../run/table.ts';

const EVERYWHERE = '**/*.{xml,json,jsonl,sarif,info}';

export const command = defineCommand({
  description:
    'Recognizes JUnit, SARIF, Snyk, Trivy, Grype, Gitleaks, OSV-Scanner, CycloneDX, SPDX, signed statements, and ' +
    'coverage (Cobertura, JaCoCo, LCOV) by content. Without patterns, the rules under evidence in .waymark.yml ' +
    'decide which files are attested and under which names; without rules, all files below this directory are read. ' +
    'A damaged report, a report larger than 50 MiB, and a pattern or rule that matches no file are errors, unless ' +
    'the rule has optional: true. Directories are searched recursively, except .git and node_modules; patterns skip ' +
    'names that begin with a dot. Coverage needs --min-coverage. Scanner results are recorded as type snyk; use that ' +
    'type in templates and policies.',
  examples: [
    { say: 'With the rules in .waymark.yml', run: 'waymark attest auto' },
    {
      say: 'All reports in a directory, about an artifact',
      run: "waymark attest auto 'reports/**' --artifact web --min-coverage 75",
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withFailsAt(withNotes(command.argument('[pattern...]', 'files, directories, or patterns')))
      .option(...ORIGIN_FLAG)
      .option(
        '--artifact <which>',
        'artifact that the evidence is about: its name in the template, sha256:DIGEST, oci://IMAGE, or ./PATH',
      )
      .option('--min-coverage <percent>', 'minimum line coverage in percent', readPercent),
  async run(session, [patterns], { minCoverage, failsAt, ...flags }) {
    const began = performance.now();
    const plan = planOf(session, patterns, { minCoverage, failsAt });
    session.say(`${contextLine(session)} · trail ${session.need('trail')} in ${session.need('flow')}`);
    tellDoubts(session, flags.commit);
    for (const { name, why } of plan.skipped) session.say(`  - ${oneLine(name)}  skipped: ${why}`);
    const done = await attestAll(session, plan, flags);
    refuseNothing(plan);
    tellDryRun(session);
    const page = trailPage(session);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    report(session, done, page);
    return {
      ending: worstOf(session, done),
      data: done.map((one) =>
        'error' in one ? { attestation_name: one.name, error: one.error.message } : dataOf(one),
      ),
      text: (style) => `${aligned(done, style)}\n${totals(session, done)} · ${seconds} s · ${page}`,
      markdown: markdownOf(done),
      page,
    };
  },
});

type Done = Recorded | { readonly name: string; readonly kind: string; readonly error: CliError };

function planOf(session: Session, patterns: readonly string[], options: PlanOptions): Plan {
  const { project } = session;
  if (patterns.length === 0 && project && project.evidence.length > 0) return planRules(session, project, options);
  return patterns.length > 0 ? planChosen(session, patterns, options) : planAny(session, EVERYWHERE, options);
}

function refuseNothing({ planned, damaged }: Plan): void {
  if (planned.length > 0 || damaged.length > 0) return;
  throw usageError(
    'No reports found',
    'Check that earlier steps wrote their reports here, or name them: waymark attest auto PATTERN',
  );
}

/** A failing report does not stop the others from being recorded, but it decides the exit code. */
async function attestAll(session: Session, plan: Plan, flags: AttestFlags): Promise<Done[]> {
  const done: Done[] = plan.damaged.map(damagedReport);
  for (const [at, planned] of plan.planned.entries()) {
    try {
      done.push(await attestOne(session, planned, flags));
    } catch (error) {
      const rest = plan.planned.slice(at + 1).map(({ name }) => oneLine(name));
      if (rest.length > 0) session.warn(`Not sent: ${rest.join(', ')}`);
      throw error;
    }
  }
  return done;
}

function damagedReport({ name, why }: Skipped): Done {
  return { name, kind: 'damaged', error: usageError(`${name} is damaged: ${why}`) };
}

async function attestOne(session: Session, planned: Planned, flags: AttestFlags): Promise<Done> {
  const { name, kind, contract, body, report } = planned;
  const artifact = planned.artifact ?? flags.artifact;
  if (kind === 'junit' && !hasTestThatRan(report.files)) warnWithoutTests(session, name);
  try {
    return await recordAttestation(session, contract, {
      flags: { ...flags, name, artifact },
      ...(body && { body }),
      report,
      kind,
    });
  } catch (error) {
    session.io.signal.throwIfAborted();
    return { name, kind, error: failureOf(error, session.settings.host) };
  }
}

function report(session: Session, done: readonly Done[], page: string): void {
  for (const one of done) {
    if ('sent' in one) warnInCi(session, one);
    else annotate(session, { level: 'error', title: `Not attested: ${one.name}`, message: whole(one.error) });
  }
  if (!session.settings.dryRun)
    summarise(session, `${markdownOf(done)}\n\n${page}\n`, `attest-${session.need('flow')}`);
}

function worstOf(session: Session, done: readonly Done[]): Ending {
  const failed = done.find((one) => 'error' in one);
  if (failed && 'error' in failed) return failed.error.ending;
  return endingOf(
    session,
    done.flatMap((one) => ('sent' in one ? [one.sent] : [])),
  );
}

function cellsOf(one: Done, style: Style): readonly string[] {
  return 'error' in one
    ? [style.bad('✕'), oneLine(one.name), one.kind, oneLine(whole(one.error)), '']
    : lineOf(one, style);
}

function whole({ message, why }: CliError): string {
  return why === undefined ? message : `${message}: ${why}`;
}

function aligned(done: readonly Done[], style: Style): string {
  const [first = [], ...rest] = done.map((one) => ['', ...cellsOf(one, style)]);
  return tableOf(first, rest);
}

function markdownOf(done: readonly Done[]): string {
  return markdownTable(
    ['', 'evidence', 'type', 'result', 'artifact'],
    done.map((one) => cellsOf(one, plain)),
  );
}

function totals({ settings }: Session, done: readonly Done[]): string {
  const count = (kind: string) => done.filter((one) => 'sent' in one && one.sent.kind === kind).length;
  const failed = done.filter((one) => 'error' in one).length;
  const sent = settings.dryRun
    ? [`${count('recorded')} would be recorded`]
    : [`${count('recorded')} recorded`, `${count('spooled')} spooled`];
  return [...sent, ...(failed > 0 ? [`${failed} failed`] : [])].join(', ');
}

function readPercent(text: string): number {
  const percent = Number(text);
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw usageError(`--min-coverage must be a number from 0 to 100, not '${text}'`);
}
