import type { Judgement } from '@waymark/compliance';

/** Says in words whether a report affects the verdict, by the id of its record. */
type EffectOf = (id: string) => string;

export const SUPERSEDED = 'superseded by a newer report';

export function attestationEffect(judgement: Judgement): EffectOf {
  const slots = (isSuperseded: boolean) =>
    judgement.artifacts.filter(({ superseded }) => superseded === isSuperseded).flatMap((it) => it.attestations);
  // Later entries win: evidence may be about several reports of an artifact.
  const effects = new Map([
    ...slots(true).map(({ attestationId }) => [attestationId, 'about a superseded artifact'] as const),
    ...unplaced(judgement),
    ...[...judgement.attestations, ...slots(false)].map(({ attestationId }) => [attestationId, 'counts'] as const),
  ]);
  return (id) => effects.get(id) ?? SUPERSEDED;
}

export function artifactEffect(judgement: Judgement): EffectOf {
  const counting = new Set(judgement.artifacts.filter((it) => !it.superseded).map((it) => it.artifactId));
  return (id) => (counting.has(id) ? 'counts' : SUPERSEDED);
}

function unplaced({ unplaced, explanation }: Judgement) {
  const failing = new Set(
    explanation.children
      .filter(({ kind, status }) => kind === 'unplaced' && status === 'NON-COMPLIANT')
      .flatMap(({ found }) => found.map(({ id }) => id)),
  );
  const effect = 'about an artifact that is not in the trail';
  return unplaced.map(({ attestationId: id }) => [id, failing.has(id) ? `counts, ${effect}` : effect] as const);
}
