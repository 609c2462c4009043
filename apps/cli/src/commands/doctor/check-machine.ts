import { statSync } from 'node:fs';
import type { CiContext } from '@waymark/ci-context';
import { credentialsPath } from '../../run/config-files.ts';
import { counted } from '../../run/counted.ts';
import { failureOf } from '../../run/failure.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';
import { openSpool } from '../../spool/spool.ts';
import { identityText } from '../ci/known-values.ts';
import { type Check, failed, passed, skipped } from './check.ts';

/** Checks the build and whether git knows enough about it. */
export function checkCi(session: Session): Check[] {
  const ci = session.ci();
  return [
    ci.provider === 'none'
      ? skipped('ci', 'Not running in a known CI system')
      : passed('ci', `${ci.providerName}; identity token: ${identityText(ci)}`),
    checkCommit(session, ci),
  ];
}

function checkCommit({ io }: Session, ci: CiContext): Check {
  const { commit } = ci;
  if (!commit) {
    const why = ci.notes.length > 0 ? `: ${oneLine(ci.notes.join('; '))}` : '';
    if (ci.provider === 'none') return skipped('commit', 'Not a git checkout');
    return failed('commit', 'usage', `The commit being built is unknown${why}`, 'Set it with --commit');
  }
  const git = (...args: string[]) => io.run('git', args, { cwd: io.cwd });
  const found = `${commit.value.slice(0, 12)}, from ${commit.source}`;
  if (git('rev-parse', '--git-dir').status !== 0) return passed('commit', `${found}; no checkout here`);
  const isHere = git('cat-file', '-e', `${commit.value}^{commit}`).status === 0;
  const isShallow = git('rev-parse', '--is-shallow-repository').stdout.trim() === 'true';
  if (!isHere) {
    return failed(
      'commit',
      'usage',
      `${found}: the checkout does not contain it, so its author and message are unknown`,
      isShallow ? 'The clone is shallow; fetch more history' : 'Check that this is a checkout of the right repository',
    );
  }
  const notes = [isShallow && 'the clone is shallow', ci.dirty && 'there are uncommitted changes'];
  return passed('commit', [found, ...notes.filter(Boolean)].join('; '));
}

export async function checkSpool({ spoolDirectory, settings }: Session): Promise<Check> {
  try {
    const { entries, refused, damaged } = await openSpool(spoolDirectory).list();
    const found = `${entries.length} waiting, ${refused.length} refused, ${damaged.length} damaged`;
    if (refused.length + damaged.length > 0) {
      return failed(
        'spool',
        'usage',
        found,
        "See the reasons with 'waymark spool status', then retry or drop the entries",
      );
    }
    if (entries.length > 0) return passed('spool', `${found}; send them with 'waymark spool push'`);
    return passed('spool', 'empty');
  } catch (error) {
    const { message, why, fix } = failureOf(error, settings.host);
    return failed('spool', 'usage', why ? `${message}: ${why}` : message, fix ?? `Check ${spoolDirectory}`);
  }
}

export function checkFiles({ project, io }: Session): Check[] {
  const projectFile = project
    ? passed('project file', `${project.path}, with ${counted(project.evidence.length, 'rule')} for evidence`)
    : skipped('project file', "No .waymark.yml here or in a parent directory; create one with 'waymark init'");
  return [projectFile, checkCredentials(credentialsPath(io))];
}

function checkCredentials(path: string): Check {
  const about = statSync(path, { throwIfNoEntry: false });
  if (!about) return skipped('credentials', 'No key is stored on this machine');
  if ((about.mode & 0o077) === 0 || process.platform === 'win32')
    return passed('credentials', `${path}, readable only by you`);
  return failed('credentials', 'usage', `${path} is readable by other users`, `Run: chmod 600 ${path}`);
}
