import type { Known } from './ci-context.ts';

export function branchOf(ref: Known<string> | undefined): Known<string> | undefined {
  return ref && { ...ref, value: ref.value.replace(/^refs\/heads\//, '') };
}

export function withoutRemote(ref: Known<string> | undefined): Known<string> | undefined {
  return ref && { ...ref, value: ref.value.replace(/^(?:refs\/remotes\/)?origin\//, '') };
}

export function tagOf(ref: Known<string> | undefined): Known<string> | undefined {
  const name = ref && /^refs\/tags\/(.+)$/.exec(ref.value)?.[1];
  return ref && name ? { ...ref, value: name } : undefined;
}

/** The number in `refs/pull/12/merge`, `pr/12`, `refs/merge-requests/12/head` or the address of a pull request. */
export function numberIn(ref: Known<string> | undefined): Known<string> | undefined {
  const number =
    ref &&
    /(?:^|\/)(?:pull|pulls|pr|pull-requests|pullrequest|merge_requests|merge-requests)\/(\d+)/.exec(ref.value)?.[1];
  return ref && number ? { ...ref, value: number } : undefined;
}
