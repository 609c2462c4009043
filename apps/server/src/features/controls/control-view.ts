import type * as api from '@waymark/contract';
import type { StoredRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { toAttestation } from '../attestations/attestation-view.ts';
import type { ControlView } from './control.reads.ts';
import type { ControlRow, ControlVersionRow } from './control.store.ts';
import type { DecisionView } from './decision.reads.ts';

export function toControl(control: ControlView, stored: StoredRows): api.Control {
  return {
    identifier: control.identifier,
    name: control.name,
    description: control.description,
    links: stored.read(control.id, control.links, {}),
    tags: control.tags,
    version: control.version,
    created_at: epochSeconds(control.created_at),
    created_by: control.created_by,
    archived: control.archived_at !== null,
    policies_referencing: control.policies,
    ...stored.mark(control.id),
  };
}

export function toVersion(
  { identifier }: ControlRow,
  version: ControlVersionRow,
  stored: StoredRows,
): api.ControlVersion {
  const key = `${version.control_id}/${version.version}`;
  return {
    version: version.version,
    kind: version.kind,
    identifier,
    name: version.name,
    description: version.description,
    links: stored.read(key, version.links, {}),
    created_at: epochSeconds(version.created_at),
    created_by: version.created_by,
    ...stored.mark(key),
  };
}

export function toDecision(
  decision: DecisionView,
  org: string,
  publicUrl: string,
  stored: StoredRows,
): api.ControlDecision {
  return { ...toAttestation(decision, org, publicUrl, stored), control_version: decision.control_version };
}
