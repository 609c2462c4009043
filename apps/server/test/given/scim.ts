import type { AddressInfo } from 'node:net';
import { type Contract, fillPath, turnOnScim } from '@waymark/contract';
import type { TestApi, TestOrg } from '../harness.ts';

export interface ScimAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly body: ScimBody;
}

/** The parts of responses that tests use. */
export interface ScimBody {
  readonly id: string;
  readonly detail: string;
  readonly scimType?: string;
  readonly totalResults: number;
  readonly itemsPerPage: number;
  readonly startIndex: number;
  readonly Resources: readonly ScimBody[];
  readonly members: readonly { value: string; display: string }[];
  readonly [attribute: string]: unknown;
}

export interface Sent {
  readonly id?: string;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly key?: string;
  readonly org?: string;
  readonly headers?: Record<string, string>;
}

export interface ScimClient {
  readonly key: string;
  readonly baseUrl: string;
  send(contract: Contract, sent?: Sent): Promise<ScimAnswer>;
  /** A path below the base URL, for requests that no contract has. */
  sendTo(method: string, path: string, sent?: Sent): Promise<ScimAnswer>;
}

/** Turns SCIM on for the org and uses it over the network, as an identity provider does. */
export async function givenScim(api: TestApi, org: TestOrg): Promise<ScimClient> {
  const { http } = api.app;
  if (!http.server.listening) await http.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
  const { status, body } = await api.call(turnOnScim, { params: { org: org.name }, key: org.keys.admin });
  if (status !== 201) throw new Error(`SCIM was not turned on: ${status} ${JSON.stringify(body)}`);
  const { key, base_url: baseUrl } = body;
  const request = async (method: string, url: string, sent: Sent): Promise<ScimAnswer> => {
    const response = await fetch(`${origin}${url}${sent.query ? `?${new URLSearchParams(sent.query)}` : ''}`, {
      method,
      headers: {
        accept: 'application/scim+json',
        ...(sent.key !== '' && { authorization: `Bearer ${sent.key ?? key}` }),
        ...(sent.body !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
        ...sent.headers,
      },
      ...(sent.body !== undefined && {
        body: typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body),
      }),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, type: headers.get('content-type'), body: JSON.parse(text || '{}') as ScimBody };
  };
  return {
    key,
    baseUrl,
    send: (contract, sent = {}) => {
      const names: Record<string, string> = { org: sent.org ?? org.name, id: sent.id ?? '' };
      const path = fillPath(contract, (name) => encodeURIComponent(names[name] ?? ''));
      return request(contract.method, `/api/v2${path}`, sent);
    },
    sendTo: (method, path, sent = {}) => request(method, `/api/v2/scim/v2/${org.name}${path}`, sent),
  };
}

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export function patchOf(...operations: unknown[]) {
  return { schemas: [PATCH], Operations: operations };
}

/** A user as Entra ID sends it. */
export function entraUser(email: string, more: object = {}) {
  return {
    schemas: [
      'urn:ietf:params:scim:schemas:core:2.0:User',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
    ],
    externalId: `entra-${email}`,
    userName: email,
    active: true,
    emails: [{ primary: true, type: 'work', value: email }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Given Family', familyName: 'Family', givenName: 'Given' },
    roles: [],
    ...more,
  };
}

/** A user as Okta sends it, with a password that is never stored. */
export function oktaUser(email: string, more: object = {}) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: email,
    name: { givenName: 'Given', familyName: 'Family' },
    emails: [{ primary: true, value: email, type: 'work' }],
    displayName: 'Given Family',
    locale: 'en-US',
    externalId: `okta-${email}`,
    groups: [],
    password: 'nobody wants it',
    active: true,
    ...more,
  };
}

export function groupOf(displayName: string, ...members: string[]) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName,
    members: members.map((value) => ({ value, display: 'x' })),
  };
}

/** As Entra ID adds and removes them. */
export function addMembers(...ids: string[]) {
  return patchOf({ op: 'Add', path: 'members', value: ids.map((value) => ({ $ref: null, value })) });
}

export function removeMembers(...ids: string[]) {
  return patchOf({ op: 'Remove', path: 'members', value: ids.map((value) => ({ $ref: null, value })) });
}
