import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { ApiError } from '@waymark/client';
import { getTrail, listAttestations, listTrails, searchNames, searchSha } from '@waymark/contract';
import { client } from '../../lib/client.ts';
import { returnAfterSignIn } from '../../lib/sign-in-again.ts';
import { type FoundArtifact, leftOutWords, wholeWord, withoutDuplicates } from './trace-subject.ts';

/** How many trails, and how many attestations, are searched in one step. */
export const SEARCHED_PER_STEP = 100;

interface InTrail {
  readonly flow: string;
  readonly trail: string;
}

function orSignIn(error: unknown): never {
  if (error instanceof ApiError && error.status === 401) returnAfterSignIn();
  throw error;
}

/** The artifacts of a commit or a fingerprint. No match is a valid result. */
export function useByDigits(org: string, sha: string | undefined) {
  return useQuery({
    queryKey: ['trace by digits', org, sha],
    enabled: sha !== undefined,
    placeholderData: () => undefined,
    queryFn: async ({ signal }) => {
      const found = await client
        .call(searchSha, { params: { org, sha: sha ?? '' }, signal })
        .catch((error: unknown) => (error instanceof ApiError && error.status === 404 ? undefined : orSignIn(error)));
      return {
        commit: found?.resolved_to.type === 'commit' ? found.resolved_to.full_match : null,
        leftOut: found && leftOutWords(found.resolved_to),
        artifacts: withoutDuplicates((found?.artifacts ?? []).filter(({ flow }) => flow !== '')),
      };
    },
  });
}

interface SearchStep {
  readonly artifacts: readonly FoundArtifact[];
  readonly trails: readonly InTrail[];
  readonly trailPage: number | null;
  readonly after: string | null;
}

type Place = Pick<SearchStep, 'trailPage' | 'after'> & { readonly isFirst: boolean };

/**
 * A ticket, the address of a pull request, a version, a trail. There is no index of what tickets and pull requests are
 * called, so the newest attestations about them and the newest trails are searched, a page at a time.
 */
export function useByWords(org: string, text: string | undefined) {
  return useInfiniteQuery({
    queryKey: ['trace by words', org, text],
    enabled: text !== undefined,
    placeholderData: () => undefined,
    initialPageParam: { isFirst: true, trailPage: 1, after: null } as Place,
    getNextPageParam: ({ trailPage, after }: SearchStep): Place | undefined =>
      trailPage === null && after === null ? undefined : { isFirst: false, trailPage, after },
    queryFn: ({ pageParam, signal }) => search(org, text ?? '', pageParam, signal).catch(orSignIn),
  });
}

async function search(org: string, text: string, place: Place, signal: AbortSignal): Promise<SearchStep> {
  const isMeant = wholeWord(text);
  const [names, evidence, trails] = await Promise.all([
    place.isFirst ? byName(org, text, signal) : NOTHING,
    inEvidence(org, place, isMeant, signal),
    inTrails(org, place, isMeant, signal),
  ]);
  return {
    artifacts: [...names.artifacts, ...evidence.artifacts],
    trails: [...names.trails, ...evidence.trails, ...trails.trails],
    after: evidence.after,
    trailPage: trails.trailPage,
  };
}

const NOTHING = { artifacts: [] as FoundArtifact[], trails: [] as InTrail[] };

async function byName(org: string, q: string, signal: AbortSignal): Promise<typeof NOTHING> {
  const found = await client.call(searchNames, { params: { org }, query: { q: q.slice(0, 200) }, signal });
  return {
    artifacts: found.artifacts.map(({ fingerprint, flow_name }) => ({ flow: flow_name, fingerprint })),
    trails: found.trails.map(({ flow_name, name }) => ({ flow: flow_name, trail: name })),
  };
}

async function inEvidence(org: string, place: Place, isMeant: (within: unknown) => boolean, signal: AbortSignal) {
  if (!place.isFirst && place.after === null) return { ...NOTHING, after: null };
  const query = {
    type: ['jira', 'pull_request'],
    per_page: SEARCHED_PER_STEP,
    ...(place.after && { after: place.after }),
  };
  const { data, pagination } = await client.call(listAttestations, { params: { org }, query, signal });
  const meant = data.filter(({ attestation_data, external_urls }) => isMeant([attestation_data, external_urls]));
  return {
    artifacts: meant.flatMap(({ flow_name, artifact_fingerprint }) =>
      artifact_fingerprint === null ? [] : [{ flow: flow_name, fingerprint: artifact_fingerprint }],
    ),
    trails: meant
      .filter(({ artifact_fingerprint }) => artifact_fingerprint === null)
      .map(({ flow_name, trail_name }) => ({ flow: flow_name, trail: trail_name })),
    after: pagination.next,
  };
}

async function inTrails(org: string, place: Place, isMeant: (within: unknown) => boolean, signal: AbortSignal) {
  if (place.trailPage === null) return { trails: [], trailPage: null };
  const query = { page: place.trailPage, per_page: SEARCHED_PER_STEP };
  const { data, pagination } = await client.call(listTrails, { params: { org }, query, signal });
  const meant = data.filter(({ name, description, git_commit_info, origin_url, user_data }) =>
    isMeant([name, description, git_commit_info, origin_url, user_data]),
  );
  return {
    trails: meant.map(({ flow_name, name }) => ({ flow: flow_name, trail: name })),
    trailPage: place.trailPage < pagination.page_count ? place.trailPage + 1 : null,
  };
}

/** What the first `max` trails built, and how many were not opened. */
export function useArtifactsOf(org: string, trails: readonly InTrail[], max: number) {
  const wanted = [...new Map(trails.map((one) => [`${one.flow} ${one.trail}`, one])).values()];
  return useQueries({
    queries: wanted.slice(0, max).map(({ flow, trail }) => ({
      queryKey: ['trace trail', org, flow, trail],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const params = { org, flow_name: flow, trail_name: trail };
        const { compliance_status } = await client.call(getTrail, { params, signal }).catch(orSignIn);
        return Object.values(compliance_status.artifacts_statuses).flatMap(({ artifact_fingerprint }) =>
          artifact_fingerprint === null ? [] : [{ flow, fingerprint: artifact_fingerprint }],
        );
      },
    })),
    combine: (answers) => ({
      artifacts: answers.flatMap(({ data }) => data ?? []),
      left: wanted.length - answers.length,
      isPending: answers.some(({ isPending }) => isPending),
      error: answers.find(({ error }) => error)?.error ?? null,
    }),
  });
}
