import { type Html, html, type Part } from '../../../platform/http/html.ts';
import { lines, quiet, text, time } from '../kit/cells.ts';
import { grid } from '../kit/grid.ts';
import { duration } from './duration.ts';
import type { History, ReportedRun } from './environment-history.ts';
import type { Breach } from './environment-spans.ts';
import type { Change, ReportedVerdict } from './period.reads.ts';

const ROWS_SHOWN = 200;
const ARTIFACTS_SHOWN = 5;

/** Every period of non-compliance: why it began, and what ended it. Newest first. */
export function breachTable(history: History, breaches: readonly Breach[], whole: Part): Html {
  if (breaches.length === 0) return html`<p>None known.</p>`;
  const failures = failuresIn(history.runs);
  const rows = breaches
    .slice(-ROWS_SHOWN)
    .toReversed()
    .map((breach) => {
      const failing = failures.filter((failure) => isIn(failure, breach));
      return [beginOf(history, breach), lengthOf(breach), reasons(history, failing), endOf(history, breach, failing)];
    });
  return html`${
    rows.length < breaches.length &&
    html`<p>The newest ${rows.length} of ${breaches.length}; ${whole} has all of them.</p>`
  }${grid('Periods of non-compliance', ['From', 'Within the period', 'Reason', 'End'], rows)}`;
}

/** Time without reports counts as unknown above, and is shown separately here. */
function lengthOf({ span, staleMs }: Breach): Part {
  const known = duration(span.until - span.from - staleMs);
  return staleMs === 0 ? known : lines(known, quiet(`and ${duration(staleMs)} with an overdue report`));
}

/** A verdict that made the environment non-compliant, and the next verdict on the same run. */
interface Failure {
  readonly run: ReportedRun;
  readonly verdict: ReportedVerdict;
  readonly next: ReportedVerdict | undefined;
}

function failuresIn(runs: readonly ReportedRun[]): Failure[] {
  return runs.flatMap((run) =>
    run.verdicts.flatMap((verdict, i) =>
      verdict.compliance === 'non-compliant' ? [{ run, verdict, next: run.verdicts[i + 1] }] : [],
    ),
  );
}

function isIn({ verdict }: Failure, { first, ended }: Breach): boolean {
  const beganBefore = ended === undefined || verdict.from_index < ended.index;
  return beganBefore && (verdict.until_index === null || verdict.until_index > first);
}

function beginOf({ firstSince, changes }: History, { first, span }: Breach): Part {
  const isFirst = first === changes[0]?.index;
  return isFirst && firstSince ? time(firstSince) : time(new Date(span.from));
}

function reasons({ reasonOf }: History, failing: readonly Failure[]): Part {
  // Only the last failure of a run counts: decisions may be repeated with the same result.
  const byRun = new Map(failing.map((failure) => [failure.run.no, failure]));
  const failed = [...byRun.values()];
  const left = failed.length - ARTIFACTS_SHOWN;
  if (failed.length === 0) return quiet('The artifacts of that time are beyond the limits of this report.');
  return lines(
    ...failed.slice(0, ARTIFACTS_SHOWN).map(({ run, verdict }) => html`${text(run.name)}: ${text(reasonOf(verdict))}`),
    left > 0 && quiet(`and ${left} more`),
  );
}

function endOf(history: History, { ended }: Breach, failing: readonly Failure[]): Part {
  if (!ended) return quiet('Not ended within the period.');
  const last = failing.filter(({ verdict }) => verdict.until_index === ended.index);
  return lines(
    html`${time(ended.created_at)} ${quiet(TRIGGERS[ended.trigger])}`,
    ...last.slice(0, ARTIFACTS_SHOWN).map((failure) => html`${text(failure.run.name)} ${howEnded(history, failure)}`),
    last.length > ARTIFACTS_SHOWN && quiet(`and ${last.length - ARTIFACTS_SHOWN} more`),
  );
}

const TRIGGERS: Record<Change['trigger'], string> = {
  report: 'by a report',
  provenance: 'by new provenance',
  evidence: 'by new evidence',
  policy: 'by a change of policies',
  'allow-list': 'by a change of waivers',
  context: 'by a change of names or tags',
  time: 'by the passage of time',
};

function howEnded({ reasonOf }: History, { run, verdict, next }: Failure): Part {
  if (run.until_index === verdict.until_index) return 'left';
  if (!next) return 'got another verdict';
  if (next.compliance === 'waived') return html`was waived. ${text(reasonOf(next))}`;
  return `became ${next.compliance}`;
}
