import type { Attestation } from '@waymark/contract';

const part = encodeURIComponent;

type Place = Pick<Attestation, 'org' | 'flow_name' | 'trail_name' | 'attestation_id'>;

function attestation({ org, flow_name, trail_name, attestation_id }: Place): string {
  return `/api/v2/attestations/${part(org)}/${part(flow_name)}/trail/${part(trail_name)}/attestation/${part(attestation_id)}`;
}

/** Downloads come from the API itself. */
export const downloads = {
  evidence: (of: Place) => `${attestation(of)}/evidence`,
  attestationPackage: (of: Place) => `${attestation(of)}/audit_package`,
  trailPackage: (org: string, flow: string, trail: string) =>
    `/api/v2/trails/${part(org)}/${part(flow)}/${part(trail)}/audit_package`,
  trailReport: (org: string, flow: string, trail: string, format: 'html' | 'pdf' = 'html') =>
    `/api/v2/trails/${part(org)}/${part(flow)}/${part(trail)}/report${format === 'pdf' ? '?format=pdf' : ''}`,
};
