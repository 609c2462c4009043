import { documentText } from './document-text.ts';
import type { EvidenceFile } from './evidence-file.ts';
import { findStructureFault } from './json-structure.ts';
import { Unreadable } from './unreadable.ts';

export function readJson(file: EvidenceFile): unknown {
  return parseJson(file.name, documentText(file));
}

export function parseJson(name: string, text: string): unknown {
  const fault = findStructureFault(text);
  if (fault) throw new Unreadable(`${name}: ${placeOf(text, fault.offset)}: ${fault.message}.`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const offset = cause instanceof Error ? /at position (\d+)/.exec(cause.message)?.[1] : undefined;
    const place = offset === undefined ? '' : `${placeOf(text, Number(offset))}: `;
    throw new Unreadable(`${name}: ${place}is not JSON.`, { cause });
  }
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return `line ${before.split('\n').length}, column ${offset - lineStart + 1}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
