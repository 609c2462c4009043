import { toHex } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import { COSIGNATURE } from '../notes/algorithm.ts';
import { parseVerifierKey, type VerifierKey } from '../notes/keys.ts';
import { decimalOf, shown, textOf } from '../text.ts';

/** Which logs are accepted, and which cosignatures a checkpoint needs: a file of C2SP tlog-policy. */
export interface TrustPolicy {
  readonly logs: readonly TrustedLog[];
  readonly witnesses: readonly TrustedWitness[];
  readonly groups: readonly WitnessGroup[];
  /** The name of a witness or a group, or `none`. */
  readonly quorum: string;
}

export interface TrustedLog {
  /** Its name is the origin of the log. */
  readonly key: VerifierKey;
  readonly url: string | undefined;
}

export interface TrustedWitness {
  /** Has a meaning in this file only. The key has a name of its own. */
  readonly name: string;
  readonly key: VerifierKey;
  readonly url: string | undefined;
}

export interface WitnessGroup {
  readonly name: string;
  readonly threshold: number;
  readonly members: readonly string[];
}

const FORMAT = 'trust policy';
const MAX_BYTES = 256 * 1024;
const MAX_OF_A_KIND = 256;
const NONE = 'none';

/** A policy up to some line of its file. */
interface Draft {
  readonly logs: TrustedLog[];
  readonly witnesses: TrustedWitness[];
  readonly groups: WitnessGroup[];
  /** What a group already has as its member. */
  readonly grouped: Set<string>;
  quorum: string | undefined;
}

type Fail = (problem: string) => FormatError;
type ReadLine = (items: readonly string[], draft: Draft, fail: Fail) => void;

const LINES: Readonly<Record<string, ReadLine>> = {
  log: readLog,
  witness: readWitness,
  group: readGroup,
  quorum: readQuorum,
};

export function parsePolicy(input: string | Uint8Array): TrustPolicy {
  const draft: Draft = { logs: [], witnesses: [], groups: [], grouped: new Set(), quorum: undefined };
  for (const [i, line] of textOf(input, FORMAT, MAX_BYTES).split('\n').entries()) {
    const fail: Fail = (problem) => new FormatError(FORMAT, problem, i + 1);
    if (/[^\P{Cc}\t\u{80}-\u{9f}]/u.test(line)) throw fail('has a control character');
    const [word = '', ...items] = line.split(/[ \t]+/).filter((item) => item !== '');
    if (word === '' || word.startsWith('#')) continue;
    const read = Object.hasOwn(LINES, word) ? LINES[word] : undefined;
    if (!read) throw fail(`begins with ${shown(word)}, not with log, witness, group or quorum`);
    read(items, draft, fail);
  }
  const { logs, witnesses, groups, quorum } = draft;
  if (quorum === undefined) throw new FormatError(FORMAT, 'has no quorum line');
  return { logs, witnesses, groups, quorum };
}

function readLog([vkey, url, ...others]: readonly string[], { logs }: Draft, fail: Fail): void {
  if (vkey === undefined || others.length > 0) throw fail('a log has a key, and it can have a URL');
  if (logs.length === MAX_OF_A_KIND) throw fail(`has more than ${MAX_OF_A_KIND} logs`);
  logs.push({ key: readKey(vkey, logs, fail), url });
}

function readWitness([name, vkey, url, ...others]: readonly string[], draft: Draft, fail: Fail): void {
  if (name === undefined || vkey === undefined || others.length > 0)
    throw fail('a witness has a name and a key, and it can have a URL');
  if (draft.witnesses.length === MAX_OF_A_KIND) throw fail(`has more than ${MAX_OF_A_KIND} witnesses`);
  checkNew(name, draft, fail);
  const key = readKey(vkey, draft.witnesses, fail);
  if (key.algorithm !== COSIGNATURE)
    throw fail(`the key of witness ${shown(name)} is not one for cosignatures, which begin with type 4`);
  draft.witnesses.push({ name, key, url });
}

/** Two keys are the same if their public keys are, whatever their names. */
function readKey(vkey: string, others: readonly { readonly key: VerifierKey }[], fail: Fail): VerifierKey {
  const key = readOrFail(vkey, fail);
  if (others.some((other) => toHex(other.key.publicKey) === toHex(key.publicKey)))
    throw fail(`the key of ${shown(key.name)} is in the policy already`);
  return key;
}

function readOrFail(vkey: string, fail: Fail): VerifierKey {
  try {
    return parseVerifierKey(vkey);
  } catch (error) {
    throw error instanceof FormatError ? fail(error.message) : error;
  }
}

function readGroup([name, count, ...members]: readonly string[], draft: Draft, fail: Fail): void {
  if (name === undefined || count === undefined || members.length === 0)
    throw fail('a group has a name, a number, any or all, and members');
  if (draft.groups.length === MAX_OF_A_KIND) throw fail(`has more than ${MAX_OF_A_KIND} groups`);
  checkNew(name, draft, fail);
  for (const member of members) {
    if (!isDefined(member, draft)) throw fail(`${shown(member)} is not a witness or a group of a line above`);
    if (draft.grouped.has(member)) throw fail(`${shown(member)} is in a group already`);
    draft.grouped.add(member);
  }
  const words: Readonly<Record<string, number>> = { any: 1, all: members.length };
  const threshold = Object.hasOwn(words, count) ? words[count] : decimalOf(count);
  if (threshold === undefined || threshold < 1 || threshold > members.length)
    throw fail(`${shown(count)} is not any, all, or a number from 1 to ${members.length}`);
  draft.groups.push({ name, threshold, members });
}

function readQuorum([name, ...others]: readonly string[], draft: Draft, fail: Fail): void {
  if (name === undefined || others.length > 0) throw fail('a quorum is the name of one witness or group, or none');
  if (draft.quorum !== undefined) throw fail('has a second quorum line');
  if (name !== NONE && !isDefined(name, draft))
    throw fail(`${shown(name)} is not a witness or a group of a line above`);
  draft.quorum = name;
}

function checkNew(name: string, draft: Draft, fail: Fail): void {
  if (name === NONE || isDefined(name, draft)) throw fail(`the name ${shown(name)} is taken`);
}

function isDefined(name: string, { witnesses, groups }: Draft): boolean {
  return [...witnesses, ...groups].some((defined) => defined.name === name);
}

/** Returns whether the witnesses with these names, as the policy calls them, are enough. */
export function isQuorum(policy: TrustPolicy, cosigned: ReadonlySet<string>): boolean {
  if (policy.quorum === NONE) return true;
  // A group has only members of lines above it, so each is decided when it is needed.
  const reached = new Set(policy.witnesses.flatMap(({ name }) => (cosigned.has(name) ? [name] : [])));
  for (const { name, threshold, members } of policy.groups) {
    if (members.filter((member) => reached.has(member)).length >= threshold) reached.add(name);
  }
  return reached.has(policy.quorum);
}
