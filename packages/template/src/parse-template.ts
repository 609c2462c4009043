import type { Problem } from '@waymark/positioned-yaml';
import { checkYaml } from '@waymark/positioned-yaml';
import { Template } from './template.ts';

export type ParsedTemplate = { ok: true; template: Template } | { ok: false; problems: Problem[] };

export const TEMPLATE_MAX_BYTES = 64 * 1024;

export function parseTemplate(text: string): ParsedTemplate {
  const checked = checkYaml(text, Template, { noun: 'template', smallest: 'version: 1', maxBytes: TEMPLATE_MAX_BYTES });
  return checked.ok ? { ok: true, template: checked.value } : checked;
}
