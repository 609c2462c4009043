import { html, type Part } from '../../../platform/http/html.ts';
import { digest, lines, quiet, text, time } from '../kit/cells.ts';
import type { RecordContext } from './evidence-records.ts';
import type { ExportProvenance } from './export-provenance.reads.ts';

type Fact = readonly [string, Part];

/** The head of the report: its subject, the provenance of that, and who exported it. */
export function facts(
  place: RecordContext,
  provenance: ExportProvenance,
  exported: { at: Date; by: string },
): readonly Fact[] {
  return [
    ...placeFacts(place),
    ...provenanceFacts(provenance),
    ['Exported', html`${time(exported.at)} ${quiet('by')} ${text(exported.by)}`],
    ['From', text(place.publicUrl)],
  ];
}

export function placeFacts(place: RecordContext): readonly Fact[] {
  return [
    ['Org', text(place.org)],
    ['Flow', text(place.flowName)],
    ['Trail', text(place.trailName)],
  ];
}

export function provenanceFacts(provenance: ExportProvenance): readonly Fact[] {
  const { description, begunAt, begunBy, commit, branch, repositories } = provenance;
  return [
    ...(description === '' ? [] : [['Description', text(description)] as const]),
    ['Started', html`${time(begunAt)} ${quiet('by')} ${text(begunBy)}`],
    ['Commit', commit ? digest(commit) : NOT_REPORTED],
    ['Branch', branch ? text(branch) : NOT_REPORTED],
    [
      'Repository',
      repositories.length === 0
        ? NOT_REPORTED
        : lines(...repositories.map(({ name, url }) => html`${text(name)} ${quiet(text(url))}`)),
    ],
  ];
}

const NOT_REPORTED = quiet('not reported');
