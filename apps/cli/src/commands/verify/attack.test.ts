import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cosign, formatNote, formatVerifierKey, parseHeadProof, signerOf } from '@waymark/transparency';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenWitnessKey } from '../../../../../packages/transparency/test/keys.ts';
import { openSecondVerifier } from '../../../../../tools/second-verifier/second-verifier.ts';
import { isFull, sample } from '../../../../../tools/test-size.ts';
import { attest } from '../../../../server/test/given/evidence.ts';
import { givenServedLedger } from '../../../../server/test/given/proofs.ts';
import { givenLogKey, givenSealedLedger } from '../../../../server/test/given/sealed.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenCli, givenSignedIn } from '../../../test/given-cli.ts';
import { givenEvidence, givenRuns } from '../../../test/given-evidence.ts';
import { type ArchivedFile, filesIn, resealed, unpacked, writeTgz } from './given-archive.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
/** Without host, org and key: as an auditor runs it. */
const auditor = givenCli();
const at = (name: string) => join(auditor.cwd, name);
const ledger = await givenServedLedger(api);
/** Signs as if it were the log, with a key that nobody trusts. */
const stranger = await givenSealedLedger(api.db, { keys: [await givenLogKey(9)] });
let files: readonly ArchivedFile[] = [];
let ofArtifact: readonly ArchivedFile[] = [];
let ofEnvironment: readonly ArchivedFile[] = [];

async function packageOf(what: string): Promise<readonly ArchivedFile[]> {
  const { code, stderr } = await cli.run(['audit', 'package', what, '--to', at('fresh.tgz'), '--force']);
  expect([stderr, code]).toEqual([expect.anything(), 0]);
  return filesIn(unpacked(auditor.cwd, at('fresh.tgz')));
}

beforeAll(async () => {
  await givenEvidence(api);
  await givenRuns(api);
  await ledger.seal();
  writeFileSync(at('trust.txt'), ledger.policy());
  files = await packageOf('store/release-9');
  ofArtifact = await packageOf('a'.repeat(64));
  ofEnvironment = await packageOf('prod');
});

interface Verified {
  readonly code: number;
  readonly proven: boolean;
  readonly problems: readonly { readonly path: string; readonly problem: string }[];
  readonly not_proven: readonly { readonly path: string }[];
  readonly recomputed: readonly string[];
  readonly not_recomputed: readonly string[];
}

async function verify(some: readonly ArchivedFile[], ...flags: string[]): Promise<Verified> {
  await writeTgz(at('made.tgz'), some);
  const { code, stdout, stderr } = await auditor.run(['verify', 'made.tgz', '--json', ...flags]);
  if (stdout === '') throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as Omit<Verified, 'code'>) };
}

const prove = (some: readonly ArchivedFile[]) => verify(some, '--policy', 'trust.txt');
const pathsOf = ({ problems, not_proven }: Verified) => [...problems, ...not_proven].map(({ path }) => path);

function edited(
  some: readonly ArchivedFile[],
  pattern: RegExp,
  edit: (record: Record<string, unknown>) => void,
): ArchivedFile[] {
  return some.map((file) => {
    if (!pattern.test(file.path)) return file;
    const record = JSON.parse(file.content.toString()) as Record<string, unknown>;
    edit(record);
    return { ...file, content: Buffer.from(`${JSON.stringify(record, null, 2)}\n`) };
  });
}

const replaceIn = (some: readonly ArchivedFile[], path: string, change: (text: string) => string) =>
  some.map((file) => (file.path === path ? { ...file, content: Buffer.from(change(file.content.toString())) } : file));

/** Makes the six failing attestations pass, in their records and wherever else it is said. */
function flipped(some: readonly ArchivedFile[]): ArchivedFile[] {
  const records = edited(some, /^records\/attestations\//, (record) => {
    if (record['attestation_type'] !== 'generic' || record['attestation_name'] === 'ticket') return;
    record['is_compliant'] = true;
    record['outcome'] = 'passed';
    record['reasons'] = [];
    Object.assign(record['sent'] as object, { is_compliant: true });
  });
  return records.map((file) =>
    /^records\/(trail|explanation|events|artifacts)/.test(file.path) || file.path === 'index.html'
      ? {
          ...file,
          content: Buffer.from(
            file.content.toString().replaceAll('NON-COMPLIANT', 'COMPLIANT').replaceAll('": false', '": true'),
          ),
        }
      : file,
  );
}

describe('a package with every kind of record', () => {
  it('is proven, with its verdicts computed again', async () => {
    for (const some of [files, ofArtifact]) {
      const { code, proven, problems, not_recomputed } = await prove(some);
      expect({ code, proven, problems, not_recomputed }).toEqual({
        code: 0,
        proven: true,
        problems: [],
        not_recomputed: [expect.stringMatching(/^the verdicts on \d+ attestations, which the server gave/)],
      });
    }
    expect((await prove(files)).recomputed[0]).toMatch(/^trail release-9 is NON-COMPLIANT: /);
    const [attestation] = files.flatMap(({ path }) => /^records\/attestations\/(.+)\.json$/.exec(path)?.[1] ?? []);
    const one = await prove(await packageOf(attestation ?? ''));
    expect(one).toMatchObject({ code: 0, proven: true, problems: [] });
  });

  it('with six verdicts flipped and the sums recomputed is found, by the digests of journal entries', async () => {
    const verdict = await verify(resealed(flipped(files)));
    expect(verdict.code).toBe(3);
    const named = verdict.problems.filter(
      ({ path, problem }) =>
        problem.startsWith('is_compliant is true; recorded was false') && path.startsWith('records/attestations/'),
    );
    expect(named).toHaveLength(6);
    expect(pathsOf(verdict)).toEqual(
      expect.arrayContaining(['records/trail.json', 'records/explanation.json', 'records/events/0001.json']),
    );
    expect((await verify(resealed(flipped(ofArtifact)))).code).toBe(3);
  });

  it('whose journal entries are changed as well is found', async () => {
    const forged = replaceIn(flipped(files), 'ledger/entries.ndjson', (text) =>
      text.replaceAll('\\"is_compliant\\":false', '\\"is_compliant\\":true'),
    );
    const { code, problems } = await verify(resealed(forged));
    expect(code).toBe(3);
    expect(problems.map(({ problem }) => problem).join('\n')).toContain('The content is not what was recorded');
  });

  it('without its journal entries, or without some of them, is not proven', async () => {
    const without = flipped(files).filter(({ path }) => !path.startsWith('ledger/'));
    expect(await prove(resealed(without))).toMatchObject({ code: 3, proven: false });
    const text = files.find(({ path }) => path === 'ledger/entries.ndjson')?.content.toString() ?? '';
    for (const line of text.trimEnd().split('\n')) {
      const fewer = replaceIn(files, 'ledger/entries.ndjson', (all) => all.replace(`${line}\n`, ''));
      const { code, proven } = await prove(resealed(fewer));
      expect({ line, code, proven }).toEqual({ line, code: 3, proven: false });
    }
  });

  it('that another ledger proves is found', async () => {
    const other = await startApi();
    await givenEvidence(other);
    const forger = await givenSealedLedger(other.db, { keys: [await givenLogKey(9)] });
    await forger.seal();
    const forgerCli = await givenSignedIn(other);
    await forgerCli.run(['audit', 'package', 'store/release-9', '--to', at('forged.tgz')]);
    const forged = filesIn(unpacked(auditor.cwd, at('forged.tgz')));
    expect(await verify(forged)).toMatchObject({ code: 0 });
    const { code, problems } = await prove(forged);
    expect(code).toBe(3);
    expect(problems).toEqual([
      { path: 'ledger/region.tlog-proof', problem: expect.stringContaining('did not sign the checkpoint') },
    ]);
  });
});

describe('a package of an environment over a period', () => {
  it('is proven, with its decisions made again', async () => {
    const verdict = await prove(ofEnvironment);
    expect(verdict.problems).toEqual([]);
    expect(verdict).toMatchObject({ code: 0, proven: true });
    expect(verdict.recomputed.join('\n')).toMatch(
      /4 policy decisions, made again[\s\S]*environment prod: 1 snapshots, the last one non-compliant/,
    );
  });

  it('is found when a verdict, a decision, a policy, or evidence is another one', async () => {
    const attacks: readonly (readonly [RegExp, (record: Record<string, unknown>) => void])[] = [
      [
        /^records\/snapshots\//,
        (record) => Object.assign((record['runs'] as object[])[0] ?? {}, { compliance: 'compliant' }),
      ],
      [/^records\/snapshots\//, (record) => Object.assign(record, { compliance: 'compliant' })],
      [/^records\/snapshots\//, (record) => (record['runs'] as object[]).pop()],
      [/^records\/decisions\//, (record) => Object.assign(record, { status: 'COMPLIANT', reasons: [] })],
      [/^records\/policies\//, (record) => Object.assign(record, { policy_yaml: `${record['policy_yaml']}# more` })],
      [
        /^records\/evidence\//,
        (record) =>
          Object.assign(record, {
            content: String(record['content']).replace('"isCompliant":false', '"isCompliant":true'),
          }),
      ],
      [/^records\/environment\.json/, (record) => Object.assign(record, { type: 'ECS' })],
    ];
    for (const [pattern, edit] of attacks) {
      const verdict = await prove(resealed(edited(ofEnvironment, pattern, edit)));
      expect({ pattern, code: verdict.code }).toEqual({ pattern, code: 3 });
      expect(pathsOf(verdict).some((path) => pattern.test(path))).toBe(true);
    }
  });

  it('is found when a snapshot is left out', async () => {
    const less = ofEnvironment.filter(({ path }) => !path.startsWith('records/snapshots/'));
    expect(pathsOf(await prove(resealed(less)))).toContain('records/snapshots/1.json');
  });
});

/** A package without the newest attestation, and without its entry: all that is left is what it was before. */
async function givenOmission(): Promise<{ readonly forged: readonly ArchivedFile[]; readonly id: string }> {
  const body = { attestation_name: 'audit', is_compliant: false };
  expect((await attest(api, 'store', 'release-9', body)).status).toBe(201);
  await ledger.seal();
  const after = await packageOf('store/release-9');
  const manifestOf = (some: readonly ArchivedFile[]) =>
    JSON.parse(some.find(({ path }) => path === 'manifest.json')?.content.toString() ?? '{}') as Record<
      string,
      unknown
    >;
  const lines =
    after
      .find(({ path }) => path === 'ledger/entries.ndjson')
      ?.content.toString()
      .trimEnd()
      .split('\n') ?? [];
  const left = lines.filter((line) => !line.includes('\\"name\\":\\"audit\\"'));
  expect(left).toHaveLength(lines.length - 1);
  const [gone = ''] = lines.filter((line) => !left.includes(line));
  const { exported_at: now, ledger: facts } = manifestOf(after);
  const { exported_at: then } = manifestOf(files);
  const forged = files.map((file) => {
    if (file.path === 'ledger/entries.ndjson') return { ...file, content: Buffer.from(`${left.join('\n')}\n`) };
    if (file.path.startsWith('ledger/')) return after.find(({ path }) => path === file.path) ?? file;
    return { ...file, content: Buffer.from(file.content.toString().replaceAll(`_at": ${then}`, `_at": ${now}`)) };
  });
  const entryCount = { ledger: { ...(facts as object), entry_count: left.length } };
  const id = (JSON.parse(gone) as { entry: { leaf: { id: string } } }).entry.leaf.id;
  return {
    forged: resealed(edited(forged, /^manifest\.json$/, (manifest) => Object.assign(manifest, entryCount))),
    id,
  };
}

describe('a package that lacks an entry', () => {
  it('is found with the whole log', async () => {
    const verifyAll = async (some: readonly ArchivedFile[]) => {
      await writeTgz(join(cli.cwd, 'made.tgz'), some);
      const { code, stdout, stderr } = await cli.run(['verify', 'made.tgz', '--policy', at('trust.txt'), '--complete']);
      return { code, text: `${stdout}${stderr}` };
    };
    for (const some of [files, ofArtifact, ofEnvironment]) {
      const { code, text } = await verifyAll(some);
      expect([text, code]).toEqual([expect.stringContaining('nothing about the subject is missing'), 0]);
    }
    const { forged, id } = await givenOmission();
    expect(await prove(forged)).toMatchObject({ code: 0, proven: true });
    const { code, text } = await verifyAll(forged);
    expect(code).toBe(3);
    expect(text).toContain(`entry ${id} is about the subject, and is missing`);
  });
});

describe('the verifier in Python', () => {
  it('agrees about good and tampered packages', async () => {
    const verifyInPython = await openSecondVerifier();
    const judged = async (some: readonly ArchivedFile[], policy = 'trust.txt') => {
      await writeTgz(at('python.tgz'), some);
      return verifyInPython(at('python.tgz'), at(policy));
    };
    for (const some of [files, ofArtifact])
      expect(await judged(some)).toEqual({ code: 0, output: expect.stringMatching(/^PROVEN /) });
    const tampered = await judged(resealed(flipped(files)));
    expect(tampered.code).toBe(1);
    expect(tampered.output.match(/is_compliant is not what was recorded/g)).toHaveLength(6);
    for (const file of sample(files, isFull ? 1 : 3)) {
      const changed = edits.byte(files, file, file, 7);
      expect({ path: file.path, ...(await judged(changed)) }).toMatchObject({
        code: 1,
        output: expect.stringContaining('DIFFERS'),
      });
    }
    const forged = replaceIn(files, 'ledger/entries.ndjson', (text) =>
      text.replace('\\"is_compliant\\":false', '\\"is_compliant\\":true'),
    );
    expect(await judged(resealed(forged))).toMatchObject({
      code: 1,
      output: expect.stringContaining('the content is not what was recorded'),
    });
    writeFileSync(at('other.txt'), stranger.policy());
    expect((await judged(files, 'other.txt')).code).toBe(1);
    expect((await verify(files, '--policy', 'other.txt')).code).toBe(3);
  });

  it('requires cosignatures as ours does', async () => {
    const verifyInPython = await openSecondVerifier();
    const key = await givenWitnessKey(1);
    const lines = [`witness alpha ${formatVerifierKey(key)}`, 'group both 1 alpha', 'quorum both'];
    writeFileSync(at('witnessed.txt'), ledger.policy().replace('quorum none', lines.join('\n')));
    const path = 'ledger/region.tlog-proof';
    const proof = files.find((file) => file.path === path)?.content.toString() ?? '';
    const { signed } = parseHeadProof(proof).region;
    const cosignature = await cosign(signed.note.text, signerOf(key), 1_795_000_000);
    const line = formatNote({ ...signed.note, signatures: [cosignature] }).split('\n\n')[1] ?? '';
    const cosigned = resealed(replaceIn(files, path, (text) => text + line));
    for (const [some, code] of [
      [files, 3],
      [cosigned, 0],
      [resealed(replaceIn(files, path, (text) => text + line.replace(/.{8}=*$/m, 'AAAAAAAA'))), 3],
    ] as const) {
      expect((await verify(some, '--policy', 'witnessed.txt')).code).toBe(code);
      expect(verifyInPython(at('made.tgz'), at('witnessed.txt'))).toMatchObject({ code: code === 0 ? 0 : 1 });
    }
  });
});

const edits = {
  byte: (all: readonly ArchivedFile[], file: ArchivedFile, _: ArchivedFile, place: number) => {
    const content = Buffer.from(file.content);
    content[place % content.length] = (content[place % content.length] ?? 0) ^ 1;
    return all.map((one) => (one === file ? { ...one, content } : one));
  },
  remove: (all: readonly ArchivedFile[], file: ArchivedFile) => all.filter((one) => one !== file),
  add: (all: readonly ArchivedFile[], file: ArchivedFile) => [
    ...all,
    { path: 'records/attestations/new.json', content: file.content },
  ],
  swap: (all: readonly ArchivedFile[], one: ArchivedFile, other: ArchivedFile) =>
    all.map((file) =>
      file === one ? { ...file, content: other.content } : file === other ? { ...file, content: one.content } : file,
    ),
};

interface Leaf {
  readonly key: string;
  readonly value: unknown;
  set(value: unknown): void;
}

function* leavesOf(value: object, key = ''): Generator<Leaf> {
  for (const [name, member] of Object.entries(value)) {
    const path = `${key}/${name}`;
    if (typeof member === 'object' && member !== null) yield* leavesOf(member, path);
    else yield { key: path, value: member, set: (next) => Object.assign(value, { [name]: next }) };
  }
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return value === null ? 'x' : `${value}x`;
}

/** Changes one value in a JSON document; `place` chooses which. */
function mutated(content: Buffer, place: number): { readonly content: Buffer; readonly key: string } | undefined {
  const document = JSON.parse(content.toString()) as object;
  const leaves = [...leavesOf(document)];
  const leaf = leaves[place % leaves.length];
  if (!leaf) return undefined;
  leaf.set(otherThan(leaf.value));
  return { content: Buffer.from(`${JSON.stringify(document, null, 2)}\n`), key: leaf.key };
}

describe('any edit of a package', () => {
  const place = fc.nat(1_000_000);
  const numRuns = isFull ? 2_000 : 60;
  const pick = (some: readonly ArchivedFile[], at: number) => some[at % some.length] as ArchivedFile;

  it('of a value in a record is named, although all sums match', async () => {
    const records = files.filter(({ path }) => path.startsWith('records/'));
    await fc.assert(
      fc.asyncProperty(place, place, async (whichFile, whichValue) => {
        const file = pick(records, whichFile);
        const changed = mutated(file.content, whichValue);
        if (!changed || changed.key.startsWith('/repo_ids')) return;
        const verdict = await prove(
          resealed(files.map((one) => (one === file ? { ...one, content: changed.content } : one))),
        );
        expect({ path: file.path, key: changed.key, code: verdict.code }).toMatchObject({ code: 3 });
        const folder = file.path.replace(/\/[^/]+$/, '');
        expect(pathsOf(verdict).some((path) => path.startsWith(folder))).toBe(true);
      }),
      { numRuns },
    );
  });

  /** Nothing but their digests is verified of the pages for reading; the lists are written anew. */
  const isListed = ({ path }: ArchivedFile) => !/^(index\.html|README\.md|manifest\.json|SHA256SUMS)$/.test(path);

  async function checkEdit(kind: keyof typeof edits, one: number, other: number, reseals: boolean): Promise<void> {
    const some = reseals ? files.filter(isListed) : files;
    const [first, second] = [pick(some, one), pick(some, other)];
    if (kind === 'swap' && first.content.equals(second.content)) return;
    const after = edits[kind](files, first, second, other);
    const verdict = await prove(reseals ? resealed(after) : after);
    expect({ kind, path: first.path, second: second.path, reseals, code: verdict.code }).toMatchObject({ code: 3 });
    const wanted = kind === 'add' ? 'records/attestations/new.json' : first.path;
    const isList = ['SHA256SUMS', 'manifest.json'].includes(first.path);
    if (!isList && !reseals) expect(pathsOf(verdict)).toContain(wanted);
  }

  it('that changes a byte, or removes, adds, or swaps files is named', async () => {
    const kind = fc.constantFrom('byte', 'remove', 'add', 'swap');
    await fc.assert(fc.asyncProperty(kind, place, place, fc.boolean(), checkEdit), { numRuns });
  });
});
