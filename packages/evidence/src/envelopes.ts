import { documentText } from './document-text.ts';
import { isObject, parseJson } from './json-document.ts';
import { Unreadable } from './unreadable.ts';

const ENVELOPES_MAX = 100;

export interface NamedDocument {
  /** For messages. */
  readonly name: string;
  readonly document: unknown;
}

/**
 * Reads one envelope, or several: one on each line, as a list, or in the `attestations` of a registry's response. Which
 * of these it is does not depend on the file's name.
 */
export function readEnvelopes(name: string, bytes: Uint8Array): NamedDocument[] {
  const documents = documentsOf(name, documentText({ name, bytes }));
  if (documents.length === 0) throw new Unreadable(`${name}: contains no envelope.`);
  if (documents.length > ENVELOPES_MAX) throw new Unreadable(`${name}: contains more than ${ENVELOPES_MAX} envelopes.`);
  if (documents.length === 1) return documents.map((document) => ({ name, document }));
  return documents.map((document, place) => ({ name: `${name}: envelope ${place + 1}`, document }));
}

function documentsOf(name: string, text: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > 1 && lines.every(isObjectText)) {
    if (lines.length > ENVELOPES_MAX) throw new Unreadable(`${name}: contains more than ${ENVELOPES_MAX} envelopes.`);
    return lines.map((line, place) => parseJson(`${name}: envelope ${place + 1}`, line));
  }
  const document = parseJson(name, text);
  if (Array.isArray(document)) return document;
  return isResponse(document) ? document.attestations.map(bundleOf) : [document];
}

function isObjectText(line: string): boolean {
  const text = line.trim();
  return text.startsWith('{') && text.endsWith('}');
}

/** As GitHub and npm return attestations. */
function isResponse(document: unknown): document is { attestations: unknown[] } {
  return isObject(document) && Array.isArray(document['attestations']);
}

function bundleOf(entry: unknown): unknown {
  return isObject(entry) && 'bundle' in entry ? entry['bundle'] : entry;
}
