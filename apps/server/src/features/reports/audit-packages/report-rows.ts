import { html, type Part } from '../../../platform/http/html.ts';
import { requireStored } from '../../../platform/stored-json.ts';
import { fromEpochSeconds } from '../../../platform/time.ts';
import { digest, lines, quiet, text, time } from '../kit/cells.ts';
import { complianceMark, verdictMark } from '../kit/verdict-mark.ts';
import { received, recordLink } from './cells.ts';
import { SUPERSEDED } from './effect.ts';
import type { Medium } from './medium.ts';
import type { PackagedApproval, PackagedArtifact, PackagedAttestation } from './record.reads.ts';
import type { Attachment } from './scope.reads.ts';

/** The rows of the report, one per record. */

export const ARTIFACT_COLUMNS = ['File', 'Verdict', 'Fingerprint', 'In the template', 'Commit', 'Received'];

export function artifactCells(row: PackagedArtifact, status: string, effect: string, medium: Medium): Part[] {
  return [
    lines(text(row.filename), recordLink('artifact', row.id, medium)),
    lines(verdictMark(status), quiet(effect)),
    digest(row.fingerprint),
    text(row.template_name),
    digest(row.commit_sha),
    received(row),
  ];
}

export const ATTESTATION_COLUMNS = ['Name', 'Verdict', 'About', 'Received', 'Trust', 'Attachment'];

interface AttestationSurroundings {
  readonly effect: string;
  readonly attachment: Attachment | undefined;
  /** The file with the custom type that judged. */
  readonly typePath: string | undefined;
  readonly overriddenBy: string | undefined;
  readonly isPackaged: (id: string) => boolean;
  readonly medium: Medium;
}

export function attestationCells(row: PackagedAttestation, around: AttestationSurroundings): Part[] {
  return [
    lines(text(row.name), typeCell(row, around), recordLink('attestation', row.id, around.medium)),
    verdictCell(row, around),
    aboutWhat(row),
    received(row),
    html`<span class="whole">${row.trust.replaceAll('_', ' ')}</span>`,
    attachmentCell(row, around),
  ];
}

function typeCell({ type, type_version: version }: PackagedAttestation, { typePath }: AttestationSurroundings): Part {
  const name = version === null ? type : `${type}@v${version}`;
  return typePath ? html`<a href="${typePath}">${name}</a>` : quiet(name);
}

/** In print a file is identified by its digest. */
function attachmentCell(row: PackagedAttestation, { attachment, medium }: AttestationSurroundings): Part {
  if (medium === 'report') return lines(text(row.attachment_name), digest(row.attachment_sha256));
  if (!attachment) return undefined;
  const link = html`<a href="${attachment.path}"><bdi>${row.attachment_name ?? attachment.name}</bdi></a>`;
  return attachment.storedAs === undefined ? link : lines(link, html`stored as <code>${attachment.storedAs}</code>`);
}

interface StoredReasons {
  readonly reasons: readonly string[];
  readonly override_reason?: string;
  readonly erased?: { readonly at: number; readonly by: string; readonly reason: string };
}

function verdictCell(row: PackagedAttestation, { effect, overriddenBy, isPackaged }: AttestationSurroundings): Part {
  const { reasons, override_reason: why, erased } = requireStored<StoredReasons>('attestation', row.id, row.verdict);
  const link = (id: string) => (isPackaged(id) ? recordLink('attestation', id) : html`<code>${id.slice(-12)}</code>`);
  return lines(
    complianceMark(row.is_compliant),
    overriddenBy === undefined || effect !== SUPERSEDED
      ? quiet(effect)
      : html`${quiet('overridden by')} ${link(overriddenBy)}`,
    row.overrides_id !== null && html`overrides ${link(row.overrides_id)}${why && html`: <bdi>${why}</bdi>`}`,
    ...reasons.map(text),
    erased &&
      html`content erased on ${time(fromEpochSeconds(erased.at))} by <bdi>${erased.by}</bdi>: <bdi>${erased.reason}</bdi>`,
  );
}

function aboutWhat(row: PackagedAttestation): Part {
  if (row.fingerprint) return digest(row.fingerprint);
  if (!row.target_artifact) return 'the trail';
  return lines(text(row.target_artifact), quiet('of commit'), digest(row.commit_sha));
}

export const APPROVAL_COLUMNS = ['Number', 'State', 'Artifact', 'Reviewer', 'Description', 'Received'];

export function approvalCells(row: PackagedApproval, medium: Medium): Part[] {
  return [
    medium === 'report' ? row.number : html`<a href="records/approvals/${row.number}.json">${row.number}</a>`,
    verdictMark(row.state),
    digest(row.fingerprint),
    text(row.reviewer),
    text(row.description),
    received(row),
  ];
}
