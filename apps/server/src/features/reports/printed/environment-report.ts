import { type Html, html, type Part } from '../../../platform/http/html.ts';
import { apiUrl } from '../../../platform/http/links.ts';
import { digest, lines, quiet, text, time } from '../kit/cells.ts';
import { grid } from '../kit/grid.ts';
import { verdictMark } from '../kit/verdict-mark.ts';
import { breachTable } from './breach-table.ts';
import { duration, percentage } from './duration.ts';
import type { History, PolicyPeriod, ReportedRun } from './environment-history.ts';
import { breachesOf, lengthsOf, STATES, statesOf } from './environment-spans.ts';
import { GLOSSARY } from './glossary.ts';
import type { ReportedWaiver } from './period.reads.ts';
import { statusStrip } from './status-strip.ts';

const ROWS_SHOWN = 1_000;
const SPANS_SHOWN = 6;

export interface ReportContext {
  readonly org: string;
  readonly publicUrl: string;
}

/** The report about a period of an environment. */
export function environmentContent(history: History, place: ReportContext): Html {
  const { environment, period } = history;
  const spans = statesOf(history);
  return html`<h1>Environment <bdi>${environment.name}</bdi></h1>
${leadOf(history)}
<dl>${factsOf(history, place).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
<h2>Compliance over time</h2>
${firstReport(spans[0]?.from, period.from)}
${spans.length > 0 && html`${statusStrip(spans, period)}\n${shares(lengthsOf(spans))}`}
<h2>Periods of non-compliance</h2>
${breachTable(history, breachesOf(history), auditLog(history, place))}
<h2>Attached policies</h2>
${policies(history)}
<h2>Running artifacts</h2>
${runs(history, auditLog(history, place))}
<h2>Waivers</h2>
${waivers(history)}
<h2>Overdue reports</h2>
${stalePeriods(history)}
<h2>Glossary</h2>
${GLOSSARY}`;
}

function leadOf({ environment, since, changes }: History): Html {
  if (changes.length === 0 && environment.snapshot_count === 0)
    return html`<p class="lead">${mark('unknown')} No report has arrived yet.</p>`;
  const { compliance, compliance_now, stale_since } = environment;
  if (stale_since === null)
    return html`<p class="lead">${mark(compliance)} ${quiet('now')}${since && html`, since ${time(since)}`}</p>`;
  return html`<p class="lead">${mark(compliance_now)} ${quiet('now')}. Stale: a report has been overdue since ${time(stale_since)}. The last report was ${mark(compliance)}${since && html`, since ${time(since)}`}.</p>`;
}

function factsOf({ environment, period }: History, place: ReportContext): [string, Part][] {
  const { description, last_reported_at: reported } = environment;
  return [
    ['Org', text(place.org)],
    ['Environment', html`${text(environment.name)} ${quiet(`of type ${environment.type}`)}`],
    ...(description === '' ? [] : [['Description', text(description)] satisfies [string, Part]]),
    ['Period', html`${time(period.from)} to ${time(period.to)} ${quiet(howLong(period.from, period.to))}`],
    ['Last report', reported ? time(reported) : quiet('none')],
  ];
}

function firstReport(at: number | undefined, from: Date): Part {
  if (at === undefined) return html`<p>No report arrived before the end of the period, so no time is counted.</p>`;
  return (
    at > from.getTime() &&
    html`<p>The first report arrived at ${time(new Date(at))}. The time before it is not counted.</p>`
  );
}

function shares(lengths: Record<(typeof STATES)[number], number>): Html {
  const whole = STATES.reduce((sum, state) => sum + lengths[state], 0);
  const rows = STATES.map((state) => [
    html`<span class="key is-${state}"></span> ${STATE_WORDS[state]}`,
    duration(lengths[state]),
    percentage(lengths[state], whole),
    state === 'stale' ? quiet('–') : percentage(lengths[state], whole - lengths.stale),
  ]);
  return grid('Compliance over time', ['State', 'Time', 'Share of counted time', 'Share of known time'], rows);
}

const STATE_WORDS = {
  compliant: 'Compliant',
  'non-compliant': 'Not compliant',
  unknown: 'Not judged',
  stale: 'Unknown: a report was overdue',
};

function policies({ policies: applied, timeOf, period }: History): Html {
  if (applied.length === 0) return html`<p class="quiet">None, so nothing was judged.</p>`;
  const rows = applied
    .slice(-ROWS_SHOWN)
    .map((policy) => [
      html`${text(policy.name)} ${quiet(`version ${policy.version}`)}`,
      fromTo(timeOf(policy.from), policy.until === undefined ? undefined : timeOf(policy.until), period.from),
      savedBy(policy),
    ]);
  return html`${cut(rows.length, applied.length, 'the version history of each policy has')}${grid(
    'Attached policies',
    ['Policy', 'In force', 'Saved'],
    rows,
  )}`;
}

function savedBy({ saved }: PolicyPeriod): Part {
  if (!saved) return '';
  return lines(html`${time(saved.created_at)} ${quiet('by')} ${text(saved.created_by)}`, text(saved.comment));
}

function runs({ runs: ran, runTotal, provenanceOf, timeOf, period }: History, whole: Part): Html {
  if (ran.length === 0) return html`<p class="quiet">Nothing.</p>`;
  const rows = ran.slice(0, ROWS_SHOWN).map((run) => {
    const provenance = provenanceOf(run);
    const until = run.until_index === null ? undefined : timeOf(run.until_index);
    return [
      lines(text(run.name), run.fingerprint === '' ? quiet('not identified') : digest(run.fingerprint)),
      provenance
        ? lines(
            html`${quiet('flow')} ${text(provenance.flow_name)}`,
            html`${quiet('trail')} ${text(provenance.trail_name)}`,
            provenance.commit_sha !== null && html`${quiet('commit')} <code>${provenance.commit_sha}</code>`,
          )
        : quiet('unknown'),
      fromTo(timeOf(run.from_index), until),
      verdictChanges(run, timeOf, period.from.getTime()),
    ];
  });
  return html`${cut(rows.length, runTotal, [whole, ' has'])}${grid('Running artifacts', ['Artifact', 'Provenance', 'Period', 'Verdict'], rows)}`;
}

/** The last changes of the verdict on a run. */
function verdictChanges({ verdicts }: ReportedRun, timeOf: History['timeOf'], from: number): Part {
  const changed = verdicts.filter(({ compliance }, i) => verdicts[i - 1]?.compliance !== compliance);
  const shown = changed.slice(-SPANS_SHOWN);
  return lines(
    changed.length > shown.length && quiet(`${changed.length - shown.length} earlier`),
    ...shown.map(({ compliance, from_index: index }) => {
      const at = timeOf(index);
      return html`${mark(compliance)}${changed.length > 1 && at > from && html` ${quiet('from')} ${time(new Date(at))}`}`;
    }),
  );
}

function waivers({ waivers: listed, hasMoreWaivers }: History): Html {
  if (listed.length === 0) return html`<p class="quiet">No waivers in the period.</p>`;
  const rows = listed.map((waiver) => [
    lines(text(waiver.artifact_name), digest(waiver.fingerprint)),
    text(waiver.description),
    lines(time(waiver.created_at), html`${quiet('by')} ${text(waiver.created_by)}`),
    waiverEnd(waiver),
  ]);
  return html`${hasMoreWaivers && html`<p>The newest ${rows.length}; the list of waivers has all of them.</p>`}${grid(
    'Waivers',
    ['Artifact', 'Reason', 'Granted', 'Ended'],
    rows,
  )}`;
}

function waiverEnd({ ended_at: ended, ended_by: by, end_reason: reason, expires_at: expires }: ReportedWaiver): Part {
  if (ended !== null && reason !== 'expired')
    return lines(time(ended), html`${quiet(reason ?? 'ended')} ${by !== null && html`${quiet('by')} ${text(by)}`}`);
  return expires === null ? quiet('not yet') : lines(time(expires), quiet('expires'));
}

function stalePeriods({ stalePeriods: spans, period, environment }: History): Html {
  if (spans.length === 0) return html`<p class="quiet">None.</p>`;
  const rows = spans
    .slice(-ROWS_SHOWN)
    .toReversed()
    .map(({ from, until }) => {
      const goesOn = until === period.to.getTime() && environment.stale_since !== null;
      return [fromTo(from, goesOn ? undefined : until, period.from), duration(until - from)];
    });
  return html`${cut(rows.length, spans.length, 'a shorter period has')}${grid('Overdue reports', ['Without reports', 'Within the period'], rows)}`;
}

function auditLog({ environment, period }: History, { org, publicUrl }: ReportContext): Html {
  const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
  const query = `from_timestamp=${seconds(period.from)}&to_timestamp=${seconds(period.to)}`;
  const url = apiUrl(publicUrl, `/environments/${org}/${environment.name}/auditlog?${query}`);
  return html`the audit log as CSV, <code>${url}</code>,`;
}

function cut(shown: number, total: number, whole: Part): Part {
  return shown < total && html`<p>The newest ${shown} of ${total}; ${whole} all of them.</p>`;
}

function fromTo(from: number, until: number | undefined, since?: Date): Part {
  const isEarlier = since !== undefined && from <= since.getTime();
  return lines(
    html`${isEarlier ? html`${quiet('before')} ${time(since)}` : time(new Date(from))}`,
    until === undefined ? quiet('until the end of the period') : html`${quiet('until')} ${time(new Date(until))}`,
  );
}

function howLong(from: Date, to: Date): string {
  return `(${duration(to.getTime() - from.getTime())})`;
}

function mark(compliance: string): Html {
  return verdictMark(compliance.toUpperCase());
}
