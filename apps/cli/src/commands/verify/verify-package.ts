import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { factsText } from '../../resources/show.ts';
import { usageError } from '../../run/cli-error.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import { oneLine } from '../../run/table.ts';
import { type CheckedPackage, checkPackage } from './check-package.ts';
import { archiveEntries, BrokenArchiveError, directoryEntries, isGzip } from './package-entries.ts';

const PROBLEMS_SHOWN = 20;

/** Checks a package against its own manifest and digests. The service is not asked. */
export async function verifyPackage(session: Session, path: string): Promise<Outcome> {
  const place = resolve(session.io.cwd, path);
  const isDirectory = statSync(place).isDirectory();
  if (!isDirectory && !isGzip(place)) {
    throw usageError(
      `${path} is not an audit package`,
      "Use the .tgz that 'waymark audit package' wrote, or its unpacked directory",
    );
  }
  const entries = isDirectory ? directoryEntries(place) : archiveEntries(place, session.io.signal);
  const checked = await checkPackage(entries);
  const isWhole = checked.problems.length === 0;
  return {
    data: documentOf(path, checked),
    text: ({ good, bad, strong }) => {
      const title = isWhole
        ? `${good('✓')} ${strong(oneLine(path))} is intact: ${countsOf(checked)}`
        : `${bad('✕')} ${strong(oneLine(path))} failed verification: ${amount(checked.problems.length, 'problem')}`;
      return [factsText(title, isWhole ? factsOf(session, checked) : []), ...problemLines(checked)].join('\n');
    },
    ending: isWhole ? 'done' : 'nonCompliant',
  };
}

/** Whether it is a package, as far as that can be determined without trusting it. */
export async function isPackage(session: Session, path: string): Promise<boolean> {
  const place = resolve(session.io.cwd, path);
  if (!existsSync(place)) return false;
  if (statSync(place).isDirectory())
    return ['SHA256SUMS', 'manifest.json'].every((name) => existsSync(join(place, name)));
  if (!statSync(place).isFile() || !isGzip(place)) return false;
  const names = new Set<string>();
  try {
    for await (const { path, content } of archiveEntries(place, session.io.signal)) {
      if (path === 'README.md' && names.size === 0) return (await startOf(content)).startsWith('# Audit package: ');
      names.add(path.replace(/^(\.\/)+/, ''));
    }
  } catch (error) {
    if (!(error instanceof BrokenArchiveError)) throw error;
  }
  return names.has('SHA256SUMS') && names.has('manifest.json');
}

async function startOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of content) return Buffer.from(chunk).toString('utf8');
  return '';
}

function documentOf(path: string, { problems, files, records, attachments, sumsSha256, manifest }: CheckedPackage) {
  const { files: _, ...about } = manifest ?? {};
  return {
    package: path,
    whole: problems.length === 0,
    problems,
    file_count: files,
    record_count: records,
    attachment_count: attachments,
    sums_sha256: sumsSha256,
    manifest: manifest ? about : null,
  };
}

function factsOf(session: Session, { manifest, sumsSha256 }: CheckedPackage) {
  const subject = recordIn(manifest, 'subject');
  const { kind, ...names } = subject;
  const at = manifest?.['exported_at'];
  const by = recordIn(manifest, 'exported_by')['name'];
  return [
    ['subject', `${textOf(kind)} ${Object.values(names).map(textOf).join(' / ')}`],
    ['exported', `${typeof at === 'number' ? showTime(at, session) : ''} by ${textOf(by)}`],
    ['from', textOf(manifest?.['exported_from'])],
    ['SHA256SUMS', `SHA-256 ${sumsSha256 ?? ''}`],
    ['origin', 'not proven by the package: ask the person who exported it to confirm this digest'],
  ] as const;
}

function problemLines({ problems }: CheckedPackage): string[] {
  const left = problems.length - PROBLEMS_SHOWN;
  return [
    ...problems.slice(0, PROBLEMS_SHOWN).map(({ path, problem }) => `  ${oneLine(path)} ${oneLine(problem)}`),
    ...(left > 0 ? [`  and ${left} more; -o json lists all`] : []),
  ];
}

function countsOf({ files, records, attachments }: CheckedPackage): string {
  return [amount(files, 'file'), amount(records, 'record'), amount(attachments, 'attachment')].join(', ');
}

function amount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function recordIn(value: Readonly<Record<string, unknown>> | null, name: string): Readonly<Record<string, unknown>> {
  const found = value?.[name];
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
