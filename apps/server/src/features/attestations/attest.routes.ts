import * as api from '@waymark/contract';
import type { z } from 'zod';
import type { Ctx } from '../../platform/ctx.ts';
import { claimOf, secondsOf } from '../../platform/evidence-receipt.ts';
import type { App } from '../../platform/http/app.ts';
import { handlePrepared } from '../../platform/http/handle.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { createRecorder, prepareAttestation, recordAttestation } from './attestation.service.ts';
import type { Override, Sent } from './attestation-draft.ts';
import { createEvidenceReader } from './evidence-reader.ts';
import { type EvidenceVerdict, verdict } from './verdict.ts';
import { judgeInToto, judgeJunit, judgeSbom, judgeSnyk, judgeVex } from './verdicts/attached.ts';
import { judgeCustom } from './verdicts/custom.ts';
import * as sent from './verdicts/sent.ts';
import type { EvidenceDestination } from './verdicts/threshold.ts';

/** What the operations of all kinds share: everything but their names and bodies. */
type Attest<Body> = Omit<typeof api.attestGeneric, 'id' | 'path' | 'summary' | 'description' | 'body'> &
  Pick<api.Contract, 'id' | 'path' | 'summary'> & { readonly description: string; readonly body: z.ZodType<Body> };

interface Judging<Body> {
  type(body: Body): string;
  judge(
    ctx: Ctx,
    body: Body,
    attachment: api.StoredFile | undefined,
    where: EvidenceDestination,
  ): EvidenceVerdict | Promise<EvidenceVerdict>;
  override?(body: Body): Override;
}

/** The endpoints for evidence, one per kind. */
export function attestRoutes(app: App, sandbox: Sandbox): void {
  const recorder = createRecorder(app.db, app.watchQueue);
  const reader = createEvidenceReader(app.blobs, sandbox);

  function mount<Body extends Sent>(contract: Attest<Body>, judging: Judging<Body>): void {
    handlePrepared(
      app,
      contract,
      (ctx, { params, headers, body, file }) => {
        const { flow_name: flowName, trail_name: trailName } = params;
        const override = judging.override?.(body);
        return prepareAttestation(ctx, recorder, {
          flowName,
          trailName,
          type: judging.type(body),
          sent: body,
          attachment: file,
          claim: claimOf(headers['waymark-evidence-id'], [contract.id, flowName, trailName, body, file ?? null]),
          claimedAt: secondsOf(headers['waymark-claimed-at']),
          ...(override && { override }),
          judge: (ctx, where) => judging.judge(ctx, body, file, where),
        });
      },
      async (ctx, _, out, prepared) => {
        const recorded = await recordAttestation(ctx, recorder, prepared);
        out.header('waymark-attestation', `${recorded.id}; ${recorded.placement}`);
        return recorded.text;
      },
    );
  }

  mount(api.attestGeneric, { type: () => 'generic', judge: (_, body) => sent.judgeGeneric(body) });
  mount(api.attestSonar, { type: () => 'sonar', judge: (_, body) => sent.judgeSonar(body) });
  mount(api.attestJira, { type: () => 'jira', judge: (_, body) => sent.judgeJira(body) });
  mount(api.attestPullRequest, { type: () => 'pull_request', judge: (_, body) => sent.judgePullRequest(body) });
  mount(api.attestDecision, { type: () => 'decision', judge: (_, body) => sent.judgeDecision(body) });
  mount(api.attestSystem, { type: () => 'decision', judge: (_, body) => sent.judgeDecision(body) });
  mount(api.attestJunit, { type: () => 'junit', judge: (ctx, body, file) => judgeJunit(ctx, reader, body, file) });
  mount(api.attestSnyk, {
    type: () => 'snyk',
    judge: (ctx, body, file, where) => judgeSnyk(ctx, reader, body, file, where),
  });
  mount(api.attestSbom, {
    type: () => 'sbom',
    judge: (ctx, _, file, where) => judgeSbom(ctx, reader, file, where),
  });
  mount(api.attestVex, {
    type: () => 'vex',
    judge: (ctx, _, file, where) => judgeVex(ctx, reader, file, where),
  });
  mount(api.attestInToto, {
    type: () => 'in_toto',
    judge: (ctx, body, file, where) => judgeInToto(ctx, reader, body, file, where),
  });
  mount(api.attestCustom, {
    type: (body) => `custom:${body.type_name}`,
    judge: (ctx, body) => judgeCustom(ctx, sandbox, body.type_name, body.attestation_data),
  });
  mount(api.attestOverride, {
    type: () => 'override',
    override: (body) => ({
      type: overridable(body.original_attestation_type),
      reason: body.reason,
      attestationId: body.attestation_id ?? null,
    }),
    judge: (_, body) => verdict([], { isCompliant: body.new_compliance_status }),
  });
}

/** Other clients call a decision `system:decision`. */
function overridable(type: string): string {
  return type.startsWith('system') ? 'decision' : type;
}
