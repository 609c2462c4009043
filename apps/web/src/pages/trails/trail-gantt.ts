import type { Happened } from './trail-events.ts';

export interface Lane {
  readonly key: string;
  readonly label: string;
  readonly marks: readonly Happened[];
}

/** One lane for each name, in order of first arrival. A repeated report stays in its lane. */
export function lanesOf(events: readonly Happened[]): readonly Lane[] {
  const lanes = new Map<string, { label: string; marks: Happened[] }>();
  for (const event of [...events].sort((one, other) => one.at - other.at)) {
    const key = `${event.kind} ${event.name} ${event.about}`;
    const lane = lanes.get(key) ?? { label: labelOf(event), marks: [] };
    lane.marks.push(event);
    lanes.set(key, lane);
  }
  return [...lanes].map(([key, lane]) => ({ key, ...lane }));
}

function labelOf({ kind, name, about }: Happened): string {
  if (kind === 'trail') return 'Trail';
  if (kind === 'approval') return name === '' ? 'Approval' : `Approval by ${name}`;
  return about === '' || about === 'the trail' ? name : `${name} (${about})`;
}

/** From the first event to the last, with a margin on both sides; never empty. */
export function spanOf(events: readonly Pick<Happened, 'at' | 'claimedAt'>[]): readonly [from: number, to: number] {
  const times = events.flatMap(({ at, claimedAt }) => (claimedAt === null ? [at] : [at, claimedAt]));
  const first = Math.min(...times);
  const last = Math.max(...times, first + 1);
  const room = (last - first) * 0.02;
  return [first - room, last + room];
}
