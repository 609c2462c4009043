import type { SummaryTemplate } from '../summary.ts';

const TRAIL = 'flows/{flow}/trails/{trail}';
const ATTESTATION = `${TRAIL}?attestation_id={subject_id}`;
const FLOW = 'flows/{name}';

/** Flows, and what is reported into them. */
export const EVIDENCE: Readonly<Record<string, SummaryTemplate>> = {
  'flow.created': { says: '{actor} created flow {name}', name: '{name}', path: FLOW },
  'flow.auto_created': {
    says: 'Flow {name} was created automatically by a report of {actor}',
    name: '{name}',
    path: FLOW,
  },
  'flow.updated': { says: '{actor} updated flow {name}', name: '{name}', path: FLOW },
  'flow.renamed': { says: '{actor} renamed flow {from} to {to}', name: '{to}', path: 'flows/{to}' },
  'flow.tagged': {
    says: '{actor} changed tags of flow {name}[: set {set_keys}][, removed {removed}]',
    name: '{name}',
    path: FLOW,
  },
  'flow.archived': { says: '{actor} archived flow {name}', name: '{name}' },
  'trail.begun': {
    says: '{actor} created trail {name} in flow {flow}',
    name: '{name}',
    path: 'flows/{flow}/trails/{name}',
  },
  'trail.updated': {
    says: '{actor} updated trail {name} in flow {flow}',
    name: '{name}',
    path: 'flows/{flow}/trails/{name}',
  },
  'artifact.reported': {
    says: '{actor} reported artifact {filename} ({digits}) in trail {trail} of flow {flow}',
    name: '{filename}',
    path: 'flows/{flow}/artifacts/{fingerprint}?artifact_id={subject_id}',
  },
  'attestation.recorded': {
    says: '{actor} attested {name} ({type}), {verdict}, in trail {trail} of flow {flow}',
    name: '{name}',
    path: ATTESTATION,
  },
  'attestation.overridden': {
    says: '{actor} overrode the verdict of {name} to {verdict} in trail {trail} of flow {flow}[: {reason}]',
    name: '{name}',
    path: ATTESTATION,
  },
  'attestation.erased': {
    says: '{actor} erased the content of attestation {name} in trail {trail} of flow {flow}: {reason}',
    name: '{name}',
    path: ATTESTATION,
  },
  'approval.recorded': {
    says: '{actor} {approval} artifact {digits} of flow {flow}[ for {environment}][, reviewed by {reviewer}]',
    name: 'approval {number}',
    path: TRAIL,
  },
  'repository.tagged': {
    says: '{actor} changed tags of repository {name}[: set {set_keys}][, removed {removed}]',
    name: '{name}',
  },
  'attestation_type.versioned': {
    says: '{actor} created version {version} of attestation type {name}[: {comment}]',
    name: '{name}',
  },
  'attestation_type.archived': { says: '{actor} archived attestation type {name}', name: '{name}' },
};
