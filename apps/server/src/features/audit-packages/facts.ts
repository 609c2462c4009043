import { html, type Part } from '../../platform/http/html.ts';
import { digest, lines, quiet, text, time } from './cells.ts';
import type { Place } from './evidence-records.ts';
import type { Origin } from './origin.reads.ts';

/** What stands first in the report: what it is about, where that came from, and who exported it. */
export function facts(place: Place, origin: Origin, exported: { at: Date; by: string }): [string, Part][] {
  const { description, begunAt, begunBy, commit, branch, repositories } = origin;
  return [
    ['Org', text(place.org)],
    ['Flow', text(place.flowName)],
    ['Trail', text(place.trailName)],
    ...(description === '' ? [] : [['Description', text(description)] satisfies [string, Part]]),
    ['Begun', html`${time(begunAt)} ${quiet('by')} ${text(begunBy)}`],
    ['Commit', commit ? digest(commit) : NOT_REPORTED],
    ['Branch', branch ? text(branch) : NOT_REPORTED],
    [
      'Repository',
      repositories.length === 0
        ? NOT_REPORTED
        : lines(...repositories.map(({ name, url }) => html`${text(name)} ${quiet(text(url))}`)),
    ],
    ['Exported', html`${time(exported.at)} ${quiet('by')} ${text(exported.by)}`],
    ['From', text(place.publicUrl)],
  ];
}

const NOT_REPORTED = quiet('not reported');
