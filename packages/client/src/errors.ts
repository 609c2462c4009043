import type { ChangeRequest } from '@waymark/contract';

/** An error response. `fields` has the error of each field, when the request was not valid. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly fields: Readonly<Record<string, string>> | null;
  readonly requestId: string | null;
  /** Set when the server asked the client to wait. */
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    message: string,
    fields: Readonly<Record<string, string>> | null,
    requestId: string | null,
    retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.status = status;
    this.fields = fields;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The change was not made: by the change control of the org, another person has to approve it. */
export class ApprovalRequiredError extends Error {
  override readonly name = 'ApprovalRequiredError';
  readonly changeRequest: ChangeRequest;

  constructor(changeRequest: ChangeRequest) {
    super(
      `Not done yet: another admin has to approve this change of '${changeRequest.subject.name}' ` +
        `(change request ${changeRequest.id})`,
    );
    this.changeRequest = changeRequest;
  }
}

/** No complete response: no connection, a broken one, or a timeout. The operation may have been done. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly attempts: number;

  constructor(message: string, attempts: number, cause: unknown) {
    super(message, { cause });
    this.attempts = attempts;
  }
}

/** A response that is not of the API: no JSON, of another shape, or a redirect. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;
  readonly requestId: string | null;

  constructor(message: string, status: number, requestId: string | null) {
    super(message);
    this.status = status;
    this.requestId = requestId;
  }
}

/** A request that cannot be sent at all. The value is not in the message, as it may be a key. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';
  readonly field: string;

  constructor(field: string, reason: string) {
    super(`${field} ${reason}`);
    this.field = field;
  }
}
