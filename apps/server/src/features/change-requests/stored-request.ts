import { hash } from 'node:crypto';
import type { Contract, UploadedFile } from '@waymark/contract';
import canonicalize from 'canonicalize';
import type { SentInput } from '../../platform/http/change-control.ts';
import { parse } from '../../platform/http/validation.ts';
import { requireStored } from '../../platform/stored-json.ts';

export interface StoredRequest {
  readonly text: string;
  readonly sha256: string;
}

/**
 * The request as text, in the order in which it was sent. The bytes of a small file are part of it; a large one is
 * already in the evidence store. Equal requests have the same digest.
 */
export function storeRequest(input: SentInput): StoredRequest {
  const { file } = input;
  const storedFile =
    file && 'content' in file ? { ...file, content: Buffer.from(file.content).toString('base64') } : file;
  const sent = { ...input, file: storedFile };
  return { text: JSON.stringify(sent), sha256: hash('sha256', canonicalize(sent) ?? '', 'hex') };
}

/** The stored input, validated against the current contract. */
export function readRequest(contract: Contract, id: string, text: string): SentInput {
  const { params, query, headers, body, file } = requireStored('change_request', id, text) as Partial<SentInput>;
  return {
    params: contract.params && parse(contract.params, params, ''),
    query: contract.query && parse(contract.query, query, 'query'),
    headers: contract.headers && parse(contract.headers, headers, 'header'),
    body: contract.body && parse(contract.body, body, ''),
    file: file && 'content' in file ? withBytes(file) : file,
  };
}

function withBytes({ filename, content }: UploadedFile): UploadedFile {
  return { filename, content: Buffer.from(String(content), 'base64') };
}
