/** The service that a run is a version of. */
export interface Service {
  readonly flowName: string;
  readonly name: string;
}

/** Returns the report that names the service, from reports in newest-first order. */
export function namingReport<Report extends { readonly templateName: string | null }>(
  reports: readonly Report[],
): Report | undefined {
  return reports.find((report) => report.templateName !== null) ?? reports[0];
}

/** Strips tag and digest from the name of an image. A colon before a slash belongs to a port. */
export function withoutTag(artifactName: string): string {
  const [name = ''] = artifactName.split('@', 1);
  const tag = name.indexOf(':', name.lastIndexOf('/') + 1);
  return (tag < 0 ? name : name.slice(0, tag)) || artifactName;
}
