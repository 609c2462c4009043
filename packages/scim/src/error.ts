/** The error keywords of RFC 7644, section 3.12, that we answer with. */
export type ScimType =
  | 'uniqueness'
  | 'invalidFilter'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'invalidValue'
  | 'noTarget'
  | 'mutability';

export class ScimError extends Error {
  override readonly name = 'ScimError';
  readonly status: 400 | 409;
  readonly scimType: ScimType;

  constructor(status: 400 | 409, scimType: ScimType, detail: string) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

export function refuse(scimType: ScimType, detail: string): ScimError {
  return new ScimError(400, scimType, detail);
}

export function taken(detail: string): ScimError {
  return new ScimError(409, 'uniqueness', detail);
}

/** Accepts any status: the standard wants it as text. */
export function errorBody(status: number, detail: string, scimType?: string): Record<string, unknown> {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType ? { scimType } : {}),
    detail,
  };
}
