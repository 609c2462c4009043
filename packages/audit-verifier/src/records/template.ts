import { parseTemplate, type Template, templateFromNames } from '@waymark/template';
import { compareRecord } from '../compare.ts';
import type { Findings } from '../findings.ts';
import { contentId, type Json } from '../json.ts';
import type { PackagedRecord } from '../package-records.ts';

/** The template of a package, if it is the one that the trail pinned. */
export function readTemplate(
  record: PackagedRecord,
  templateId: string | undefined,
  findings: Findings,
): Template | undefined {
  const { content } = record.value;
  const id = templateIdOf(content);
  if (id === undefined) {
    findings.add(record.path, 'has no content that could be a template');
    return undefined;
  }
  if (templateId !== undefined && id !== templateId) {
    findings.add(
      record.path,
      `is not the template that was recorded: it has the id ${id}, and ${templateId} was pinned`,
    );
    return undefined;
  }
  const parsed = Array.isArray(content) ? templateFromNames(content as string[]) : parseTemplate(String(content));
  if (!parsed.ok) {
    findings.add(record.path, 'has content that is not a template');
    return undefined;
  }
  const expected: Json = { id, content, ...parsed.template };
  compareRecord(record.path, record.value, expected, findings);
  return parsed.template;
}

/** The id of a template is derived from its content. */
function templateIdOf(content: unknown): string | undefined {
  if (typeof content === 'string') return contentId(`yaml ${content}`);
  if (!Array.isArray(content) || !content.every((name) => typeof name === 'string')) return undefined;
  return contentId(`names ${content.join(' ')}`);
}
