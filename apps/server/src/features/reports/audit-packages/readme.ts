import { utcSeconds } from '../kit/utc-seconds.ts';
import type { PackageLedger } from './package-ledger.ts';

const MAX_LISTED = 20;

/** The first file of every package. */
export function readme(subject: string, service: string, exportedAt: Date, ledger: PackageLedger): string {
  return `# Audit package: ${subject}

Exported from ${service} at ${utcSeconds(exportedAt)}.

- \`index.html\` is the readable report. It needs no network and runs no scripts. It is written for people, like this
  file: nothing but its digest is verified, and \`records/\` decides.
- \`records/\` contains the records as JSON, \`attachments/\` the files that were sent as evidence, each in a folder
  named after its SHA-256. The files are byte-for-byte as sent. Types that a browser could execute, such as HTML, SVG, and
  XML, have \`.txt\` appended to their names, so that nothing runs when you open one; the records have the original names.
- \`ledger/\` contains the journal entries that the records follow from, with the proof that they are in the ledger.
- \`manifest.json\` lists every other file with its size and SHA-256, and says what was exported, when, and by whom.
- \`SHA256SUMS\` contains the SHA-256 of every file except itself.

## Verify the package

    waymark verify PACKAGE.tgz --policy trust.txt

verifies everything without a network: every file, the proofs, and the verdicts, which it computes again. \`trust.txt\` has
the keys of the ledger and of its witnesses. Do not take it from the sender of this package: get it from someone whom you
trust, or keep the one that you got before. The documentation of Waymark describes the format, and has a second verifier in
Python, on the page "Verify an audit package".

Without any of that, in the folder of this file:

    sha256sum -c SHA256SUMS

Every line must end in \`OK\`; a file that was changed, truncated, or removed is listed (on macOS: \`shasum -a 256 -c\`).
Files that are not listed do not belong to the package. This finds damage. It does not find a forgery: a person who changes a
file can compute its digest again.

## Proofs

${proofs(ledger)}

In the records of artifacts, attestations, and approvals, the member \`sent\` is the reported payload. The SHA-256 of its
canonical form (RFC 8785) is \`content_sha256\`.

## Reproduce the verdicts

Each attestation names in \`judged_by\` the components that judged it. Custom types are in \`records/types\`, with the
schema and the rules of the version that judged. \`records/explanation.json\` names the engine that judged the trail, and
the template, which is \`records/template.json\`.
`;
}

function proofs({ proof, notProven, because }: PackageLedger): string {
  if (!proof) return `Nothing in this package is proven: ${because ?? 'it has no journal entries'}.`;
  const { org } = proof.head;
  const contains = `\`ledger/entries.ndjson\` contains ${proof.indexes.length} journal entries, proven by the log ${org.log} with its first ${org.size} entries.`;
  if (notProven.length === 0) return contains;
  const listed = notProven.slice(0, MAX_LISTED).map((path) => `- \`${path}\``);
  const left = notProven.length - listed.length;
  return [
    contains,
    '',
    `**Not proven**, because ${because}:`,
    '',
    ...listed,
    ...(left > 0 ? [`- and ${left} more, which \`manifest.json\` lists`] : []),
  ].join('\n');
}
