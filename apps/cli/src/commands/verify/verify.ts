import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { listArtifacts, searchSha } from '@waymark/contract';
import { identifyArtifact } from '../../evidence/artifact-reference.ts';
import { isArtifactForm } from '../../explain/subject.ts';
import { TIME_STAMP_HELP } from '../../ledger/time-stamp-roots.ts';
import { POLICY_HELP } from '../../ledger/trust-policy.ts';
import { fingerprintPrefix } from '../../resources/references.ts';
import { factsText, shortDigest, stateText } from '../../resources/show.ts';
import { unlessMissing } from '../../resources/unless-missing.ts';
import { CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';
import { isPackage, verifyPackageFile } from './verify-package.ts';

export const command = defineCommand({
  description:
    'Verifies an audit package without the network: every file, the proofs of its records, and the verdicts, which it ' +
    'computes again from the evidence. Lists what differs, is missing, or does not belong, and exits with 3. With ' +
    '--policy, also exits with 3 unless everything is proven by the ledger that the policy trusts. Of anything else, ' +
    'looks up the fingerprint; exits with 3 if the service has no record of exactly that content.',
  examples: [
    { say: 'Prove a package that you received', run: 'waymark verify trail-shop-release-1.tgz --policy trust.txt' },
    {
      say: 'Also show that nothing was left out',
      run: 'waymark verify trail-shop-release-1.tgz --policy trust.txt --complete',
    },
    { say: 'Compare a file with its record', run: 'waymark verify dist/app.tgz' },
    { say: 'Compare an image in the registry with its record', run: 'waymark verify oci://ghcr.io/acme/web:1.9.1' },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .argument('<what>', 'a package or its unpacked directory, a path, oci://IMAGE, or a fingerprint')
      .option('--policy <file>', POLICY_HELP)
      .option('--time-stamp-roots <file>', TIME_STAMP_HELP)
      .option('--complete', 'also compare a package with the whole log of the org; needs the network and a key of it')
      .option('--offline', 'verify a package without network requests'),
  async run(session, [what], { offline, policy, complete, timeStampRoots }) {
    const isRemote = /^oci:\/\//.test(what);
    if (offline && complete) throw usageError('--offline and --complete cannot be combined');
    if (offline || complete || policy !== undefined) {
      if (isRemote)
        throw usageError(
          `${offline ? '--offline' : '--policy'} works only with audit packages`,
          'Leave it out to look the artifact up in the registry and the service',
        );
      return verifyPackageFile(session, what, { policy, complete, timeStampRoots });
    }
    if (!isRemote && (await isPackage(session, what))) return verifyPackageFile(session, what, {});
    return verifyArtifact(session, what);
  },
});

async function verifyArtifact(session: Session, what: string): Promise<Outcome> {
  const isThere = existsSync(resolve(session.io.cwd, what));
  const isDigits =
    !isThere && !/^(oci:\/\/|oci-layout:|\.{0,2}\/)/.test(what) && /^(sha256:)?[0-9a-f]{5,64}$/i.test(what);
  if (!isThere && !isDigits && !isArtifactForm(what)) throw noSuchThing(what);
  const sha = isDigits ? fingerprintPrefix(what) : (await identifyArtifact(session, what)).fingerprint;
  const params = { org: session.need('org'), sha };
  const found = await unlessMissing(session.client().call(searchSha, { params, signal: session.io.signal }));
  const records = (found?.artifacts ?? []).filter(({ fingerprint }) => fingerprint.startsWith(sha));
  const [first] = records;
  if (!first) throw await notRecorded(session, what, sha, isDigits);
  return {
    data: { fingerprint: first.fingerprint, recorded: true, artifacts: records },
    text: (style) =>
      [
        `${style.good('✓')} ${style.strong(oneLine(what))} ${isDigits ? 'is recorded' : 'matches its record'}: ${first.fingerprint}`,
        ...records.map(({ name, flow, trail, git_commit, compliance_state, running_in }) =>
          factsText(`  ${oneLine(`${flow}/${trail}`)}  ${stateText(compliance_state, style)}`, [
            ['  name', name],
            ['  commit', shortDigest(git_commit)],
            ['  runs in', running_in.join(', ')],
          ]),
        ),
      ].join('\n'),
    page: session.pageOf(params.org, 'artifacts', first.fingerprint),
  };
}

function noSuchThing(what: string): CliError {
  return usageError(
    `'${what}' is not a local file or a fingerprint`,
    'Use a package, a path, oci://IMAGE, or a fingerprint or its first 5 digits',
  );
}

/** A local artifact that is not on record fails; an unknown fingerprint is just not found. */
async function notRecorded(session: Session, what: string, sha: string, isDigits: boolean): Promise<CliError> {
  if (isDigits) return new CliError('notFound', `No record has a fingerprint that begins with ${sha}`);
  const namesake = await newestNamesake(session, what);
  return new CliError('nonCompliant', `${what} does not match any record: no record has the fingerprint ${sha}`, {
    ...(namesake !== undefined && { why: namesake }),
    fix: 'Get it again from its build, or report it if it is new',
  });
}

async function newestNamesake(session: Session, what: string): Promise<string | undefined> {
  const { flow } = session.settings;
  if (flow === undefined) return undefined;
  const artifacts = await session.client().call(listArtifacts, {
    params: { org: session.need('org') },
    query: { flow_name: flow, per_page: 100 },
    signal: session.io.signal,
  });
  const name = what.split('/').at(-1);
  const same = artifacts.find(({ filename }) => filename === what || filename.split('/').at(-1) === name);
  return same && `The newest artifact with that name in flow ${flow} has ${same.fingerprint}`;
}
