import type { Judgement } from '@waymark/compliance';

/** Whether a report decides anything in the verdict, by the id of its record, in words. */
type StandingOf = (id: string) => string;

export const SUPERSEDED = 'superseded by a newer report';

export function attestationStanding(judgement: Judgement): StandingOf {
  const slots = (isSuperseded: boolean) =>
    judgement.artifacts.filter(({ superseded }) => superseded === isSuperseded).flatMap((it) => it.attestations);
  // The later an entry, the more it says: evidence may be about several reports of an artifact.
  const standings = new Map([
    ...slots(true).map(({ attestationId }) => [attestationId, 'about a superseded artifact'] as const),
    ...unplaced(judgement),
    ...[...judgement.attestations, ...slots(false)].map(({ attestationId }) => [attestationId, 'counts'] as const),
  ]);
  return (id) => standings.get(id) ?? SUPERSEDED;
}

export function artifactStanding(judgement: Judgement): StandingOf {
  const counting = new Set(judgement.artifacts.filter((it) => !it.superseded).map((it) => it.artifactId));
  return (id) => (counting.has(id) ? 'counts' : SUPERSEDED);
}

function unplaced({ unplaced, explanation }: Judgement) {
  const failing = new Set(
    explanation.children
      .filter(({ kind, status }) => kind === 'unplaced' && status === 'NON-COMPLIANT')
      .flatMap(({ found }) => found.map(({ id }) => id)),
  );
  const standing = 'about an artifact that is not in the trail';
  return unplaced.map(({ attestationId: id }) => [id, failing.has(id) ? `counts, ${standing}` : standing] as const);
}
