const part = encodeURIComponent;

/** Where the server streams the package as it builds it. */
export const packages = {
  trail: (org: string, flow: string, trail: string) =>
    `/api/v2/trails/${part(org)}/${part(flow)}/${part(trail)}/audit_package`,
  artifact: (org: string, flow: string, fingerprint: string) =>
    `/api/v2/artifacts/${part(org)}/${part(flow)}/${part(fingerprint)}/audit_package`,
  attestation: (org: string, flow: string, trail: string, id: string) =>
    `/api/v2/attestations/${part(org)}/${part(flow)}/trail/${part(trail)}/attestation/${part(id)}/audit_package`,
};

export const trailReport = (org: string, flow: string, trail: string) =>
  `/api/v2/trails/${part(org)}/${part(flow)}/${part(trail)}/report`;

export const environmentReport = (org: string, env: string, from: number, to: number) =>
  `/api/v2/environments/${part(org)}/${part(env)}/report_period?from=${from}&to=${to}`;
