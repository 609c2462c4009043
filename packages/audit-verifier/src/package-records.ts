import type { Findings } from './findings.ts';
import { isObject, type Json } from './json.ts';
import type { ReadPackage } from './read-package.ts';

/** A file below `records/`. */
export interface PackagedRecord {
  readonly path: string;
  readonly value: Json;
}

/** The records of a package by folder; those of no folder are under their file name. */
export interface PackagedRecords {
  one(path: string): PackagedRecord | undefined;
  in(folder: string): readonly PackagedRecord[];
  lists(folder: string): readonly { readonly path: string; readonly value: readonly unknown[] }[];
  readonly count: number;
}

/** Reads the records. Each must be written as packages are, so that no two files mean the same. */
export function readRecords({ texts }: ReadPackage, findings: Findings): PackagedRecords {
  const records = new Map<string, PackagedRecord>();
  const lists: { path: string; value: readonly unknown[] }[] = [];
  for (const [path, bytes] of texts) {
    if (!path.startsWith('records/')) continue;
    const value = readCanonical(path, bytes, findings);
    if (Array.isArray(value)) lists.push({ path, value });
    else if (isObject(value)) records.set(path, { path, value });
    else if (value !== undefined) findings.add(path, 'is not a record');
  }
  const inFolder = (folder: string) => (path: string) => path.startsWith(`records/${folder}/`);
  return {
    one: (path) => records.get(path),
    in: (folder) => [...records.values()].filter(({ path }) => inFolder(folder)(path)),
    lists: (folder) => lists.filter(({ path }) => inFolder(folder)(path)),
    count: records.size + lists.length,
  };
}

function readCanonical(path: string, bytes: Uint8Array, findings: Findings): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (`${JSON.stringify(value, null, 2)}\n` !== text) findings.add(path, 'is not written as records are');
    return value;
  } catch {
    findings.add(path, 'is not JSON');
    return undefined;
  }
}
