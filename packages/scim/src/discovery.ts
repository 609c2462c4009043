import { MAX_RESULTS } from './list.ts';

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0';
export const USER_SCHEMA = `${SCHEMA}:User`;
export const GROUP_SCHEMA = `${SCHEMA}:Group`;

type Body = Record<string, unknown>;

/** `base` is the address of the org's SCIM service, without a slash at its end. */
export function serviceProviderConfig(base: string): Body {
  return {
    schemas: [`${SCHEMA}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A key of a service account of the org',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypes(base: string): Body[] {
  return [
    resourceType(base, 'User', '/Users', 'A member of the org'),
    resourceType(base, 'Group', '/Groups', 'A group that gives a role'),
  ];
}

function resourceType(base: string, name: string, endpoint: string, description: string): Body {
  return {
    schemas: [`${SCHEMA}:ResourceType`],
    id: name,
    name,
    endpoint,
    description,
    schema: `${SCHEMA}:${name}`,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  };
}

export function schemas(base: string): Body[] {
  return [
    schema(base, 'User', [
      text('userName', 'What the user signs in with', { required: true, uniqueness: 'server' }),
      complex('name', 'The parts of the name', false, [
        text('formatted', 'The whole name'),
        text('givenName', 'The given name'),
        text('familyName', 'The family name'),
      ]),
      text('displayName', 'The name that is shown'),
      attribute('boolean', 'active', 'Whether the user may sign in to the org'),
      complex('emails', 'Email addresses', true, [
        text('value', 'The address'),
        text('type', 'What the address is for', { canonicalValues: ['work', 'home', 'other'] }),
        attribute('boolean', 'primary', 'Whether this is the address to write to'),
      ]),
    ]),
    schema(base, 'Group', [
      text('displayName', 'The name of the group', { required: true }),
      complex('members', 'Who is in the group', true, [
        text('value', 'The id of the user', { mutability: 'immutable' }),
        {
          ...text('$ref', 'The address of the user', { mutability: 'immutable' }),
          type: 'reference',
          referenceTypes: ['User'],
        },
        text('display', 'The name of the user', { mutability: 'readOnly' }),
      ]),
    ]),
  ];
}

function schema(base: string, name: string, attributes: Body[]): Body {
  const id = `${SCHEMA}:${name}`;
  return {
    schemas: [`${SCHEMA}:Schema`],
    id,
    name,
    description: name,
    attributes,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  };
}

function attribute(type: string, name: string, description: string, more: Body = {}): Body {
  return {
    name,
    type,
    multiValued: false,
    description,
    required: false,
    mutability: 'readWrite',
    returned: 'default',
    ...more,
  };
}

function text(name: string, description: string, more: Body = {}): Body {
  return attribute('string', name, description, { caseExact: false, uniqueness: 'none', ...more });
}

function complex(name: string, description: string, multiValued: boolean, subAttributes: Body[]): Body {
  return attribute('complex', name, description, { multiValued, subAttributes });
}
