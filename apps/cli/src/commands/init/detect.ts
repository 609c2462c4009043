import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ProviderId } from '@waymark/ci-context';
import type { Session } from '../../run/session.ts';
import { type Pipeline, pipelineNames, pipelines, type Repository } from './pipelines.ts';

export interface Detected {
  readonly provider: ProviderId;
  readonly pipeline: Pipeline;
  /** How it was detected. */
  readonly by: string;
}

/** Returns the CI system that this runs in, or else the one whose files are here. */
export function detectCi(session: Session, chosen: ProviderId | undefined): Detected | undefined {
  const detectedAs = (provider: ProviderId, by: string): Detected | undefined => {
    const pipeline = pipelines[provider];
    return pipeline && { provider, pipeline, by };
  };
  if (chosen !== undefined) return detectedAs(chosen, '--ci');
  const ci = session.ci();
  const running = detectedAs(ci.provider, 'this job');
  if (running) return running;
  for (const provider of pipelineNames) {
    const mark = pipelines[provider]?.marks.find((path) => existsSync(join(session.io.cwd, path)));
    if (mark !== undefined) return detectedAs(provider, mark);
  }
  const host = URL.parse(ci.repository?.url?.value ?? '')?.hostname;
  if (host === 'github.com') return detectedAs('github', 'the URL of the repository');
  return host === 'gitlab.com' ? detectedAs('gitlab', 'the URL of the repository') : undefined;
}

export function detectRepository(session: Session): Repository {
  const { repository } = session.ci();
  return { name: repository?.name?.value ?? 'OWNER/NAME', id: repository?.id?.value };
}

/** Returns the name of the repository, or of the directory. */
export function flowNameFor(session: Session): string {
  const name = session.ci().repository?.name?.value.split('/').at(-1) ?? basename(session.io.cwd);
  return name.replace(/[^a-zA-Z0-9._~-]+/g, '-').replace(/^[^a-zA-Z0-9]+|-+$/g, '') || 'build';
}
