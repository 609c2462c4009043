import type { PackageVerdict } from '@waymark/audit-verifier';
import { factsText } from '../../resources/show.ts';
import { counted } from '../../run/counted.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import type { Style } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';
import type { Compared } from './compare-with-log.ts';

/** More are in the JSON. */
const MAX_SHOWN = 20;

export interface PageInput {
  readonly path: string;
  readonly verdict: PackageVerdict;
  readonly hasPolicy: boolean;
  readonly session: Session;
  readonly compared: Compared | undefined;
}

/** For programs. */
export function documentOf(path: string, verdict: PackageVerdict) {
  const { files: _, ...about } = verdict.manifest ?? {};
  return {
    package: path,
    whole: verdict.findings.length === 0,
    proven: verdict.isProven,
    problems: verdict.findings,
    not_proven: [...verdict.unproven, ...verdict.asides],
    recomputed: verdict.recomputed,
    not_recomputed: verdict.recorded,
    ledger: verdict.log && { ...verdict.log, entry_count: verdict.entryCount, steps: verdict.ledger?.steps ?? [] },
    proven_files: verdict.proven.length,
    file_count: verdict.files,
    record_count: verdict.records,
    attachment_count: verdict.attachments,
    sums_sha256: verdict.sumsSha256,
    manifest: verdict.manifest ? about : null,
  };
}

/** What is proven, what is not, and what differs, for readers who know neither JSON nor Merkle trees. */
export function pageOf(input: PageInput, style: Style): string {
  const { verdict, session } = input;
  const parts = [
    factsText(titleOf(input, style), factsOf(session, verdict)),
    section('Differs', differences(verdict, style)),
    section('Proven', input.hasPolicy ? provenLines(verdict, style) : []),
    section('Compared with the whole log', input.compared ? comparedLines(input.compared, style) : []),
    section('Computed again from the evidence', listed(verdict.recomputed, style.good('✓'))),
    section('Not proven', notProven(input, style)),
    section(
      'What no package can prove',
      limitsOf(input).map((line) => `${style.doubtful('-')} ${line}`),
    ),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function titleOf({ path, verdict, hasPolicy }: PageInput, { good, bad, doubtful, strong }: Style): string {
  const name = strong(oneLine(path));
  const { findings, isProven } = verdict;
  if (findings.length > 0) return `${bad('✕')} ${name} failed verification: ${counted(findings.length, 'problem')}`;
  if (isProven) return `${good('✓')} ${name} is proven: ${countsOf(verdict)}`;
  if (hasPolicy) return `${bad('✕')} ${name} is intact but not proven: ${countsOf(verdict)}`;
  return `${doubtful('✓')} ${name} is intact: ${countsOf(verdict)}. Nothing proves where it is from: use --policy`;
}

function countsOf({ files, records, attachments }: PackageVerdict): string {
  return [counted(files, 'file'), counted(records, 'record'), counted(attachments, 'attachment')].join(', ');
}

function factsOf(session: Session, { manifest, sumsSha256, log, entryCount }: PackageVerdict) {
  const { kind, ...names } = objectIn(manifest, 'subject');
  const at = manifest?.['exported_at'];
  const by = textOf(objectIn(manifest, 'exported_by')['name']);
  return [
    ['subject', `${textOf(kind)} ${Object.values(names).map(textOf).join(' / ')}`],
    ['exported', `${typeof at === 'number' ? showTime(at, session) : ''} by ${by}, as the package says`],
    ['from', `${textOf(manifest?.['exported_from'])}, as the package says`],
    ['SHA256SUMS', `SHA-256 ${sumsSha256 ?? ''}`],
    ['ledger', log && `${counted(entryCount, 'entry', 'entries')} of log ${log.id}, which had ${log.size} then`],
  ] as const;
}

function differences({ findings }: PackageVerdict, { bad }: Style): string[] {
  return cut(findings.map(({ path, problem }) => `${bad('✕')} ${oneLine(path)} ${oneLine(problem)}`));
}

function provenLines({ ledger, proven, entryCount }: PackageVerdict, style: Style): string[] {
  if (!ledger) return [];
  const steps = ledger.steps.filter(({ outcome }) => outcome === 'ok');
  const isTrusted = ledger.ok;
  return [
    ...steps.map(({ says }) => `${style.good('✓')} ${oneLine(says)}`),
    ...(isTrusted
      ? [
          `${style.good('✓')} ${counted(entryCount, 'journal entry', 'journal entries')} in the package were in the log then, and are unchanged since`,
          `${style.good('✓')} ${counted(proven.length, 'file')} of the package say what these entries recorded`,
        ]
      : []),
  ];
}

function notProven({ verdict, hasPolicy }: PageInput, style: Style): string[] {
  const { ledger, log, unproven, asides, recorded } = verdict;
  const sign = style.doubtful('-');
  const steps = ledger?.steps.filter(({ outcome }) => outcome === 'not_checked') ?? [];
  return [
    ...(hasPolicy ? [] : [`${sign} where the package is from, and who recorded what: no trust policy was given`]),
    ...(log ? [] : [`${sign} anything: the package has no proofs`]),
    ...steps.map(({ says }) => `${sign} ${oneLine(says)}`),
    ...cut(
      [...(log ? unproven : []), ...asides].map(({ path, because }) => `${sign} ${oneLine(path)}: ${oneLine(because)}`),
    ),
    ...listed(
      recorded.map((what) => `recorded, not recomputed: ${what}`),
      sign,
    ),
    `${sign} index.html and README.md: written for reading; what they say is in the records`,
    `${sign} manifest.json: who exported the package, when, and from where`,
  ];
}

function limitsOf({ compared }: PageInput): string[] {
  return [
    'that what was reported is true: an entry proves that it was reported, by whom, and that it is unchanged',
    ...(compared ? [] : ['that nothing was left out: use --complete to compare the package with the whole log']),
  ];
}

function comparedLines({ leaves, missing, later, erased }: Compared, { good, bad, doubtful }: Style): string[] {
  const whole = `${good('✓')} nothing about the subject is missing: ${counted(leaves, 'leaf', 'leaves')} of the log were compared`;
  return [
    ...(missing.length === 0
      ? [whole]
      : cut(missing.map((id) => `${bad('✕')} entry ${id} is about the subject, and is missing`))),
    ...(later > 0
      ? [`${doubtful('-')} ${counted(later, 'entry', 'entries')} about the subject came after the export`]
      : []),
    ...(erased > 0
      ? [`${doubtful('-')} ${counted(erased, 'entry', 'entries')} cannot be compared: the content was erased`]
      : []),
  ];
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines.map((line) => `  ${line}`)].join('\n');
}

function listed(lines: readonly string[], sign: string): string[] {
  return cut(lines.map((line) => `${sign} ${oneLine(line)}`));
}

function cut(lines: readonly string[]): string[] {
  const left = lines.length - MAX_SHOWN;
  return [...lines.slice(0, MAX_SHOWN), ...(left > 0 ? [`and ${left} more; -o json lists all`] : [])];
}

function objectIn(value: Readonly<Record<string, unknown>> | null, name: string): Readonly<Record<string, unknown>> {
  const found = value?.[name];
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
