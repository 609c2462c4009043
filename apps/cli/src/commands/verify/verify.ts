import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { listArtifacts, searchSha } from '@waymark/contract';
import { identifyArtifact } from '../../evidence/artifact-reference.ts';
import { isArtifactForm } from '../../explain/subject.ts';
import { fingerprintPrefix } from '../../resources/references.ts';
import { factsText, shortDigest, stateText } from '../../resources/show.ts';
import { unlessMissing } from '../../resources/unless-missing.ts';
import { CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';
import { isPackage, verifyPackage } from './verify-package.ts';

export const command = defineCommand({
  description:
    'An audit package is checked by itself, without the service: every digest, every record, every attachment; what was changed, is missing or does not belong is named, and the exit code is 3. Anything else is fingerprinted and looked up: the exit code is 3 when the service has no record of exactly that content.',
  examples: [
    { say: 'A package that somebody sent you', run: 'waymark verify trail-shop-release-1.tgz --offline' },
    { say: 'Is this the file that was recorded?', run: 'waymark verify dist/app.tgz' },
    { say: 'Is what the registry has now what was recorded?', run: 'waymark verify oci://ghcr.io/acme/web:1.9.1' },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .argument('<what>', 'a package or its folder, a path, oci://IMAGE, or a fingerprint')
      .option('--offline', 'it is a package; ask nobody'),
  async run(session, [what], { offline }) {
    const isRemote = /^oci:\/\//.test(what);
    if (offline) {
      if (isRemote)
        throw usageError('--offline is for audit packages', 'Leave it out to ask the registry and the service');
      return verifyPackage(session, what);
    }
    if (!isRemote && (await isPackage(session, what))) return verifyPackage(session, what);
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
        `${style.good('✓')} ${style.strong(oneLine(what))} ${isDigits ? 'is recorded' : 'is what was recorded'}: ${first.fingerprint}`,
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
    `'${what}' is neither a file here nor a fingerprint`,
    'Give a package, a path, oci://IMAGE, or a fingerprint or its first 5 digits',
  );
}

/** A local artifact that is not on record fails; an unknown fingerprint is just not found. */
async function notRecorded(session: Session, what: string, sha: string, isDigits: boolean): Promise<CliError> {
  if (isDigits) return new CliError('notFound', `No record has a fingerprint that begins with ${sha}`);
  const namesake = await newestNamesake(session, what);
  return new CliError('nonCompliant', `${what} is not what was recorded: no record has the fingerprint ${sha}`, {
    ...(namesake !== undefined && { why: namesake }),
    fix: 'Get it again from where it was built, or report it if it is new',
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
  return same && `The newest of that name in flow ${flow} has ${same.fingerprint}`;
}
