import { utcSeconds } from '../kit/utc-seconds.ts';

/** The first file of every package. */
export function readme(subject: string, service: string, exportedAt: Date): string {
  return `# Audit package: ${subject}

Exported from ${service} at ${utcSeconds(exportedAt)}.

- \`index.html\` is the report for reading. It needs no network and runs no scripts.
- \`records/\` holds the records as JSON, \`attachments/\` the files that were sent as evidence, each in a folder that is
  named after its SHA-256. The bytes are those that were sent. Types that a browser could run, such as HTML, SVG and XML,
  have \`.txt\` added to their names, so that nothing runs when you open one; the records have the original names.
- \`manifest.json\` names every other file with its size and SHA-256, and says what was exported, when and by whom.
- \`SHA256SUMS\` has the SHA-256 of every file but itself.

## Check it

In the folder where this file is:

    sha256sum -c SHA256SUMS

Every line must end in \`OK\`; a file that was changed, cut off or taken away is named (on macOS: \`shasum -a 256 -c\`).
Files that are not listed there do not belong to the package. The digests prove that the package is whole. That it
came from ${service} is proved by where you got it, or by comparing the SHA-256 of \`SHA256SUMS\` with whoever exported it.

In the records of artifacts, attestations and approvals the member \`sent\` is what was reported. In its canonical form
(RFC 8785) its SHA-256 is \`content_sha256\`.

## Judge it again

Each attestation names in \`judged_by\` what judged it. A custom type is in \`records/types\`, with the schema and the rules
of the version that judged. \`records/explanation.json\` names the engine that judged the whole and the template, which is
\`records/template.json\`.
`;
}
