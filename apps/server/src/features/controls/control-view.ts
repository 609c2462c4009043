import type * as api from '@waymark/contract';
import { epochSeconds } from '../../platform/time.ts';
import { toAttestation } from '../attestations/attestation-view.ts';
import type { ControlView } from './control.reads.ts';
import type { ControlRow, ControlVersionRow } from './control.store.ts';
import type { DecisionView } from './decision.reads.ts';

export function toControl(control: ControlView): api.Control {
  return {
    identifier: control.identifier,
    name: control.name,
    description: control.description,
    links: toLinks(control.links),
    tags: control.tags,
    version: control.version,
    created_at: epochSeconds(control.created_at),
    created_by: control.created_by,
    archived: control.archived_at !== null,
    policies_referencing: control.policies,
  };
}

export function toVersion({ identifier }: ControlRow, version: ControlVersionRow): api.ControlVersion {
  return {
    version: version.version,
    kind: version.kind,
    identifier,
    name: version.name,
    description: version.description,
    links: toLinks(version.links),
    created_at: epochSeconds(version.created_at),
    created_by: version.created_by,
  };
}

export function toDecision(decision: DecisionView, org: string, publicUrl: string): api.ControlDecision {
  return { ...toAttestation(decision, org, publicUrl), control_version: decision.control_version };
}

function toLinks(stored: string): Record<string, string> {
  return JSON.parse(stored) as Record<string, string>;
}
