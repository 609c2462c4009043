import { FindingLevel } from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import { readFlowTemplate, readTemplate } from '../../flows/template.reads.ts';
import { DEFAULT_FAILS_AT, readOrg } from '../../orgs/org.reads.ts';
import * as store from '../attestation.store.ts';

/** The level at which findings fail, and who set it. Stored with the verdict, so that it can be replayed. */
export interface Threshold {
  readonly fails_at: FindingLevel;
  readonly set_by: 'default' | 'org' | 'template' | 'request';
}

/** The destination of evidence, as far as it is known before recording. */
export interface EvidenceDestination {
  readonly name: string;
  readonly place: store.AttestationPlace;
  readonly destination: store.Destination;
}

/** Worst first, which is the laxest threshold. */
const LEVELS = FindingLevel.options;

/** Returns the strictest threshold of the org, the slot of the template and the request, and the template used. */
export async function readThreshold(
  ctx: Ctx,
  where: EvidenceDestination,
  requested: FindingLevel | null | undefined,
): Promise<{ threshold: Threshold; templateId: string | null }> {
  const { findings_fail_at: ofOrg } = await readOrg(ctx);
  const slot = await readSlot(ctx, where);
  const sources: readonly [Threshold['set_by'], FindingLevel | null | undefined][] = [
    ['org', ofOrg],
    ['template', slot.failsAt],
    ['request', requested],
  ];
  const threshold = sources.reduce<Threshold>(
    (strictest, [set_by, fails_at]) => {
      if (fails_at == null) return strictest;
      const isFirst = strictest.set_by === 'default' && fails_at === strictest.fails_at;
      return isFirst || strictnessOf(fails_at) > strictnessOf(strictest.fails_at) ? { fails_at, set_by } : strictest;
    },
    { fails_at: DEFAULT_FAILS_AT, set_by: 'default' },
  );
  return { threshold, templateId: slot.templateId };
}

function strictnessOf(level: FindingLevel): number {
  return LEVELS.indexOf(level);
}

/** The template is that of the trail, or that of the flow when the trail begins with this report. */
async function readSlot(
  ctx: Ctx,
  { name, place, destination }: EvidenceDestination,
): Promise<{ templateId: string | null; failsAt: FindingLevel | undefined }> {
  const { flow_id: flowId, trail_id: trailId } = place;
  const pinned = place.template_id
    ? await readTemplate(ctx.db, ctx.org, place.template_id)
    : flowId && (await readFlowTemplate(ctx.db, ctx.org, flowId));
  if (!pinned) return { templateId: null, failsAt: undefined };
  const { trail } = pinned.template;
  const { fingerprint, target_artifact: target } = destination;
  const names = fingerprint
    ? trailId && (await store.listTemplateNames(ctx.db, ctx.org, trailId, fingerprint))
    : target && [target];
  const slots = names
    ? trail.artifacts.filter((artifact) => names.includes(artifact.name)).flatMap(({ attestations }) => attestations)
    : trail.attestations;
  const levels = slots.filter((slot) => slot.name === name).flatMap(({ fails_at }) => fails_at ?? []);
  return {
    templateId: pinned.id,
    failsAt: levels.toSorted((one, other) => strictnessOf(other) - strictnessOf(one))[0],
  };
}
