/** What a run is a version of, as people call it. */
export interface Service {
  readonly flowName: string;
  readonly name: string;
}

/** Of the reports of an artifact, newest first, the one that says what it is a version of. */
export function namingReport<Report extends { readonly templateName: string | null }>(
  reports: readonly Report[],
): Report | undefined {
  return reports.find((report) => report.templateName !== null) ?? reports[0];
}

/** The name of an image without its tag and digest. A colon before a slash is that of a port. */
export function withoutTag(artifactName: string): string {
  const [name = ''] = artifactName.split('@', 1);
  const tag = name.indexOf(':', name.lastIndexOf('/') + 1);
  return (tag < 0 ? name : name.slice(0, tag)) || artifactName;
}
