/** An entry with its place in the order, as an event needs it. */
export interface PublishedEntry {
  readonly id: string;
  readonly org_id: string;
  readonly index: number;
  readonly life: number;
  readonly type: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly actor_name: string;
  readonly recorded_at: Date;
}

/**
 * An entry as a CloudEvent 1.0 in structured mode. It says what happened and never the content, which the API has for
 * those who may read it.
 */
export function cloudEventOf(entry: PublishedEntry, region: string) {
  return {
    specversion: '1.0',
    id: entry.id,
    source: `/${region}/${entry.org_id}`,
    type: `waymark.${entry.type}`,
    subject: `${entry.subject_kind}/${entry.subject_id}`,
    time: entry.recorded_at.toISOString(),
    datacontenttype: 'application/json',
    // Extensions: an org's events count 0, 1, 2 … in one life of the database.
    index: entry.index,
    life: entry.life,
    data: { actor: entry.actor_name },
  };
}
