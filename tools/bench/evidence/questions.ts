import type { Call } from '../call.ts';
import { commitOf, fingerprintOf, flowName, lastReceipt, momentOf, NAMES, type Size, trailName } from './rows.ts';

/** A call of each kind about a random subject, so that every page of the tables is equally likely. */
export const questions: Readonly<Record<string, (size: Size) => Call>> = {
  trail: (size) => {
    const trail = any(size.trails);
    return get(`/trails/acme/${flowName(trail, size)}/${trailName(trail)}`);
  },
  artifact: (size) => {
    const trail = any(size.trails);
    return get(`/artifacts/acme/${flowName(trail, size)}/fingerprint/${fingerprintOf(trail, any(3))}`);
  },
  list: (size) => get(`/attestations/acme?after=${cursor(size)}`),
  list_by_type: (size) => get(`/attestations/acme?type=decision&after=${cursor(size)}`),
  list_by_flow: (size) => get(`/attestations/acme?flow=${flowName(any(size.trails), size)}&after=${cursor(size)}`),
  list_by_time: (size) => {
    const from = momentOf(any(lastReceipt(size))) / 1000;
    return get(`/attestations/acme?from_timestamp=${from}&to_timestamp=${from + 3600}`);
  },
  commit: (size) => get(`/search/acme/commit/${commitOf(any(size.trails))}/trails`),
  // Last, because it extends the trails that the others read.
  attest: (size) => {
    const trail = any(size.trails);
    return {
      method: 'POST',
      path: `/attestations/acme/${flowName(trail, size)}/trail/${trailName(trail)}/generic`,
      body: {
        attestation_name: NAMES[any(NAMES.length)],
        is_compliant: true,
        description: 'Reported by the build of main, after the last step of the stage was done.',
        git_commit_info: {
          sha1: commitOf(trail),
          branch: 'main',
          message: 'Keep the session',
          timestamp: 1_790_000_000,
        },
        user_data: { build: `https://ci.example.com/acme/builds/${trail}`, duration: 302.4 },
      },
    };
  },
};

function get(path: string): Call {
  return { method: 'GET', path };
}

function any(count: number): number {
  return Math.floor(Math.random() * count);
}

/** A page somewhere in the newer half, so that the older half can fill it. */
function cursor(size: Size): string {
  const half = Math.floor(lastReceipt(size) / 2);
  const receipt = half + any(half);
  return `${momentOf(receipt).toString(36)}.${receipt.toString(36)}`;
}
