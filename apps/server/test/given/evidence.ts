import {
  type Attestation,
  attestGeneric,
  beginTrail,
  getTrail,
  listAttestations,
  putFlow,
  reportArtifact,
  type Trail,
} from '@waymark/contract';
import type { Answer, TestApi } from '../harness.ts';

/** Fingerprints and commits that are easy to distinguish in a failure. */
export const fingerprint = (digit: string): string => digit.repeat(64);
export const commit = (digit: string): string => digit.repeat(40);

export const TEMPLATE = `version: 1
trail:
  attestations:
    - name: ticket
      type: jira
  artifacts:
    - name: backend
      attestations:
        - name: unit-tests
          type: junit
        - name: scan
          type: snyk
`;

export async function givenFlow(api: TestApi, name: string, template = TEMPLATE): Promise<void> {
  await api.call(putFlow, { body: { name, template } });
}

export async function givenTrail(api: TestApi, flow: string, trail: string): Promise<void> {
  await api.call(beginTrail, { params: { flow_name: flow }, body: { name: trail } });
}

export function artifact(digit: string, more: object = {}) {
  return {
    fingerprint: fingerprint(digit),
    filename: `app-${digit}.tgz`,
    build_url: 'https://ci.example.com/1',
    commit_url: `https://git.example.com/${commit(digit)}`,
    git_commit: commit(digit),
    ...more,
  };
}

export async function givenArtifact(api: TestApi, flow: string, digit: string, more: object = {}): Promise<void> {
  const answer = await api.call(reportArtifact, { params: { flow_name: flow }, body: artifact(digit, more) });
  if (answer.status !== 201) throw new Error(`the artifact was not reported: ${JSON.stringify(answer.body)}`);
}

export function attest(
  api: TestApi,
  flow: string,
  trail: string,
  body: { attestation_name: string; is_compliant: boolean } & Record<string, unknown>,
  headers: Record<string, string> = {},
) {
  return api.call(attestGeneric, { params: { flow_name: flow, trail_name: trail }, body, headers });
}

/** The id of the attestation in a response. */
export function attestationIdOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String(headers['waymark-attestation']).split('; ')[0] ?? '';
}

export async function attestationOf(api: TestApi, id: string): Promise<Attestation> {
  const { body } = (await api.call(listAttestations, { query: { attestation_id: id } })) as Answer<{
    data: Attestation[];
  }>;
  const [attestation] = body.data;
  if (!attestation) throw new Error(`there is no attestation ${id}`);
  return attestation;
}

export async function trailOf(api: TestApi, flow: string, trail: string): Promise<Trail> {
  const answer = (await api.call(getTrail, { params: { flow_name: flow, trail_name: trail } })) as Answer<Trail>;
  if (answer.status !== 200) throw new Error(`there is no such trail: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Sends a form as clients do: one part of JSON and at most one file. */
export async function sendForm(
  api: TestApi,
  method: 'PUT' | 'POST',
  path: string,
  parts: Record<string, unknown>,
  file?: { part: string; name: string; content: string | Uint8Array },
  headers: Record<string, string> = {},
): Promise<Answer<unknown>> {
  const form = new FormData();
  for (const [part, value] of Object.entries(parts)) form.append(part, JSON.stringify(value));
  if (file) form.append(file.part, new Blob([file.content as string]), file.name);
  const request = new Request('http://waymark.test', { method, body: form });
  return api.inject({
    method,
    url: `/api/v2${path}`,
    headers: {
      authorization: `Bearer ${api.org.keys.member}`,
      'content-type': request.headers.get('content-type') ?? '',
      ...headers,
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
}
