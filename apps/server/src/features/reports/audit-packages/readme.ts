import { utcSeconds } from '../kit/utc-seconds.ts';

/** The first file of every package. */
export function readme(subject: string, service: string, exportedAt: Date): string {
  return `# Audit package: ${subject}

Exported from ${service} at ${utcSeconds(exportedAt)}.

- \`index.html\` is the readable report. It needs no network and runs no scripts.
- \`records/\` contains the records as JSON, \`attachments/\` the files that were sent as evidence, each in a folder
  named after its SHA-256. The files are byte-for-byte as sent. Types that a browser could execute, such as HTML, SVG, and
  XML, have \`.txt\` appended to their names, so that nothing runs when you open one; the records have the original names.
- \`manifest.json\` lists every other file with its size and SHA-256, and says what was exported, when, and by whom.
- \`SHA256SUMS\` contains the SHA-256 of every file except itself.

## Verify the package

In the folder of this file:

    sha256sum -c SHA256SUMS

Every line must end in \`OK\`; a file that was changed, truncated, or removed is listed (on macOS: \`shasum -a 256 -c\`).
Files that are not listed do not belong to the package. The digests prove that the package is complete. To prove that it
came from ${service}, rely on where you got it, or compare the SHA-256 of \`SHA256SUMS\` with the person who exported it.

In the records of artifacts, attestations, and approvals, the member \`sent\` is the reported payload. The SHA-256 of its
canonical form (RFC 8785) is \`content_sha256\`.

## Reproduce the verdicts

Each attestation names in \`judged_by\` the components that judged it. Custom types are in \`records/types\`, with the
schema and the rules of the version that judged. \`records/explanation.json\` names the engine that judged the trail, and
the template, which is \`records/template.json\`.
`;
}
