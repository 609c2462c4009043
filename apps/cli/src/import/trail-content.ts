import { beginTrail } from '@waymark/contract';
import { knownFields } from './known-fields.ts';
import { marksOf } from './original.ts';
import { differences } from './same-content.ts';
import type { Source } from './source.ts';
import type { SourceTrail } from './source-contracts.ts';

const MARK = 'imported_from';

/** Returns the request that begins the trail again. */
export function trailContent(source: Source, trail: SourceTrail) {
  const { created_at, created_by: author, html_url } = trail;
  const { imported_from: href, ...original } = marksOf({ id: null, created_at, author, html_url }, source);
  // A trail has no annotations; a link may have members of its own.
  const external_urls = { ...trail.external_urls, [MARK]: { href, ...original } };
  const repo_info = trail.events?.find((event) => event.type === 'trail_reported')?.repo_info;
  const body = { ...comparable(trail), ...(repo_info && { repo_info }), external_urls };
  return knownFields(beginTrail.body, body).body;
}

/** Returns the names of the fields in which a trail of the target differs. */
export function trailDifferences(trail: SourceTrail, existing: SourceTrail): string[] {
  return differences(comparable(trail), comparable(existing));
}

function comparable(trail: SourceTrail) {
  const { name, description, user_data, git_commit_info, origin_url } = trail;
  const { [MARK]: _, ...external_urls } = trail.external_urls ?? {};
  const template = trail.template?.content;
  return {
    name,
    ...(description && { description }),
    ...(user_data !== null && user_data !== undefined && { user_data }),
    ...(git_commit_info && { git_commit_info }),
    ...(origin_url && { origin_url }),
    external_urls,
    // A trail keeps the template that its flow had when it began.
    ...(typeof template === 'string' && template !== '' && { template }),
  };
}
