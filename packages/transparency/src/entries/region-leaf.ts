import { fromHex } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import { HASH_BYTES } from '../merkle/hashing.ts';
import { isSize } from '../merkle/spans.ts';
import { ED25519 } from '../notes/algorithm.ts';
import { keyNameProblem } from '../notes/key-name.ts';
import { parseVerifierKey } from '../notes/keys.ts';
import { controlAt, shown, textOf } from '../text.ts';

/** A head of the log of an org: its first `size` entries have this root, in 64 lowercase hex digits. */
export interface OrgHeadLeaf {
  readonly kind: 'org';
  /** The ID of the log, which says nothing about the org. */
  readonly log: string;
  readonly root: string;
  readonly size: number;
}

/** The verifier keys of the checkpoints from here on, newest first. */
export interface KeysLeaf {
  readonly kind: 'keys';
  readonly keys: readonly string[];
}

/** The first leaf of a region log that replaces another: where that one ended, and why. */
export interface EpochLeaf {
  readonly kind: 'epoch';
  readonly epoch: number;
  readonly previous: { readonly origin: string; readonly root: string; readonly size: number };
  readonly reason: string;
}

export type RegionLeaf = OrgHeadLeaf | KeysLeaf | EpochLeaf;

const FORMAT = 'region leaf';
const LEAF_VERSION = 1;
const MAX_LEAF_BYTES = 0xffff;
const MAX_KEYS = 16;
/** So that a leaf is never too long for an entry bundle. */
export const MAX_REASON_LENGTH = 1_000;
const LOG_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the origin of the region log of an epoch. */
export function regionOrigin(name: string, epoch: number): string {
  return `${name}/${epoch}`;
}

/** Returns the origin of the log of an org. It contains the epoch: after a break, another tree never has the same name. */
export function orgLogOrigin(origin: string, log: string): string {
  return `${origin}/org/${log}`;
}

/** Returns the canonical JSON of a leaf, as in RFC 8785: its keys in order, and nothing between them. */
export function formatRegionLeaf(leaf: RegionLeaf): string {
  const problem = problemOf(leaf);
  if (problem !== undefined) throw new RangeError(`${FORMAT}: ${problem}`);
  return canonical(leaf);
}

function canonical(leaf: RegionLeaf): string {
  const v = LEAF_VERSION;
  if (leaf.kind === 'org')
    return JSON.stringify({ kind: leaf.kind, log: leaf.log, root: leaf.root, size: leaf.size, v });
  if (leaf.kind === 'keys') return JSON.stringify({ keys: leaf.keys, kind: leaf.kind, v });
  const { origin, root, size } = leaf.previous;
  const previous = { origin, root, size };
  return JSON.stringify({ epoch: leaf.epoch, kind: leaf.kind, previous, reason: leaf.reason, v });
}

/** Reads a leaf. Only the canonical form is accepted, because only that has the hash that is in the tree. */
export function parseRegionLeaf(input: string | Uint8Array): RegionLeaf {
  const text = textOf(input, FORMAT, MAX_LEAF_BYTES);
  const value = parseObject(text);
  if (value['v'] !== LEAF_VERSION) throw new FormatError(FORMAT, `is not of version ${LEAF_VERSION}`);
  const { v, ...leaf } = value;
  const problem = problemOf(leaf);
  if (problem !== undefined) throw new FormatError(FORMAT, problem);
  const read = leaf as unknown as RegionLeaf;
  if (canonical(read) !== text) throw new FormatError(FORMAT, 'is not canonical JSON');
  return read;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    throw new FormatError(FORMAT, 'is not JSON');
  }
  throw new FormatError(FORMAT, 'is not a JSON object');
}

/** Returns what is wrong with the value of a field, if anything is. */
type Check = (value: unknown) => string | undefined;

function fieldsProblem(value: Readonly<Record<string, unknown>>, checks: Readonly<Record<string, Check>>) {
  for (const [field, check] of Object.entries(checks)) {
    if (!Object.hasOwn(value, field)) return `has no ${field}`;
    const problem = check(value[field]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function must(isValid: (value: unknown) => boolean, be: string): Check {
  return (value) => (isValid(value) ? undefined : `${shown(JSON.stringify(value) ?? 'nothing')} is not ${be}`);
}

const size = must((value) => isSize(Number(value)) && typeof value === 'number', 'the size of a tree');
const root = must((value) => typeof value === 'string' && fromHex(value)?.length === HASH_BYTES, 'a root in hex');

const CHECKS: Readonly<Record<RegionLeaf['kind'], Readonly<Record<string, Check>>>> = {
  org: {
    log: must((value) => typeof value === 'string' && LOG_ID.test(value), 'the ID of a log'),
    root,
    size,
  },
  keys: { keys: keysProblem },
  epoch: {
    epoch: must((value) => Number.isSafeInteger(value) && Number(value) > 1, 'an epoch after the first'),
    previous: (value) => (isObject(value) ? fieldsProblem(value, PREVIOUS) : 'previous is not an object'),
    reason: must(
      (value) =>
        typeof value === 'string' &&
        value.trim() !== '' &&
        value.length <= MAX_REASON_LENGTH &&
        value.isWellFormed() &&
        !value.includes('\n') &&
        controlAt(value) === -1,
      `a reason: one line of up to ${MAX_REASON_LENGTH} characters`,
    ),
  },
};

const PREVIOUS: Readonly<Record<string, Check>> = {
  origin: (value) => (typeof value === 'string' ? keyNameProblem(value) : 'the origin is not a text'),
  root,
  size,
};

function problemOf(leaf: Readonly<Record<string, unknown>> | RegionLeaf): string | undefined {
  const { kind } = leaf;
  if (kind !== 'org' && kind !== 'keys' && kind !== 'epoch') return `kind is ${shown(JSON.stringify(kind) ?? '')}`;
  return fieldsProblem(leaf as Record<string, unknown>, CHECKS[kind]);
}

function keysProblem(keys: unknown): string | undefined {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS) return `keys are not 1 to ${MAX_KEYS} keys`;
  if (new Set(keys).size < keys.length) return 'a key is listed twice';
  for (const key of keys as unknown[]) {
    try {
      if (typeof key !== 'string') return 'a key is not a text';
      if (parseVerifierKey(key).algorithm !== ED25519) return 'a key is not one that signs checkpoints';
    } catch (error) {
      if (error instanceof FormatError) return error.message;
      throw error;
    }
  }
  return undefined;
}
