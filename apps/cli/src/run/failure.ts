import {
  ApiError,
  ApprovalRequiredError,
  InvalidInputError,
  UnexpectedAnswerError,
  UnreachableError,
} from '@waymark/client';
import { SpoolError } from '../spool/spool-error.ts';
import { CliError, usageError } from './cli-error.ts';
import type { Ending } from './exit-codes.ts';
import { notFoundFix } from './not-found.ts';

/** Turns anything thrown into the error that is shown. */
export function failureOf(error: unknown, host: string | undefined): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof ApiError) return refusal(error);
  if (error instanceof ApprovalRequiredError) {
    const { id } = error.changeRequest;
    return new CliError('held', error.message, {
      why: 'The change control of the org requires another person to approve this change',
      fix: `Ask another admin to run 'waymark change approve ${id}', or cancel it with 'waymark change withdraw ${id}'`,
      cause: error,
    });
  }
  if (error instanceof InvalidInputError) return usageError(error.message);
  if (error instanceof UnreachableError) {
    return new CliError('unavailable', `${host ?? 'The service'} cannot be reached`, {
      why: reasonOf(error),
      fix: "Run 'waymark doctor' to find the cause, or try again later",
      cause: error,
    });
  }
  if (error instanceof UnexpectedAnswerError) {
    return new CliError('unavailable', `The server at ${host ?? 'that address'} does not respond like Waymark`, {
      why: error.message,
      fix: "Run 'waymark doctor' to check the address and proxies in between",
      requestId: error.requestId,
      cause: error,
    });
  }
  if (error instanceof SpoolError) {
    return new CliError('usage', error.message, { why: error.why, fix: error.fix, cause: error });
  }
  if (isFileError(error)) return fileFailure(error);
  return new CliError('unexpected', `Unexpected error: ${error instanceof Error ? error.message : String(error)}`, {
    fix: 'This is a bug. Run it again with --debug, and report the output',
    cause: error,
  });
}

const ENDINGS: Readonly<Record<number, Ending>> = {
  400: 'usage',
  401: 'denied',
  403: 'denied',
  404: 'notFound',
  409: 'conflict',
  412: 'conflict',
  413: 'usage',
  422: 'usage',
};

const FIXES: Readonly<Partial<Record<number, string>>> = {
  401: "Sign in with 'waymark auth login', or set WAYMARK_TOKEN; 'waymark auth status' shows the key in use",
  403: "Run 'waymark auth status' to see your role and the scope of the key",
  413: 'Send less at once, or ask the operator of the service to raise the limit',
  429: 'Wait before you try again, or send fewer requests',
};

/** The flags and arguments for fields of the API. */
const FLAGS: Readonly<Record<string, string>> = {
  attestation_name: '--name',
  template_reference_name: '--name',
  flow_name: '--flow',
  trail_name: '--trail',
  fingerprint: 'artifact',
  artifact_fingerprint: 'artifact',
  env_name: 'environment',
  environment_name: 'environment',
};

function refusal(error: ApiError): CliError {
  const { status, fields, requestId } = error;
  const message = inOurNames(error.message, fields);
  const fix = fixOf(status, message);
  const why = fields && whyOf(fields);
  return new CliError(ENDINGS[status] ?? 'unavailable', `${message} (${status})`, {
    ...(why && !message.includes(why) && { why }),
    ...(fix && { fix }),
    requestId,
    cause: error,
  });
}

function fixOf(status: number, message: string): string | undefined {
  if (status === 404) return notFoundFix(message);
  if (status === 413 && message.includes('storage quota'))
    return "Run 'waymark storage' to see the storage use and the quota";
  return (
    FIXES[status] ??
    (status >= 500 ? 'Try again later, or give the request id to the operator of the service' : undefined)
  );
}

function whyOf(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([field, reason]) => (field ? `${inOurName(field)} ${reason}` : reason))
    .join('; ');
}

/** Renames only fields at fault: the same word may be part of a user's name for something. */
function inOurNames(message: string, fields: ApiError['fields']): string {
  let reworded = message;
  for (const field of Object.keys(fields ?? {})) {
    const [, name = field] = /^(?:query|header)\.(.*)$/.exec(field) ?? [];
    reworded = reworded.replace(new RegExp(`(?:field|query parameter) '${RegExp.escape(name)}'`), (match) =>
      inOurName(field) === field ? match : inOurName(field),
    );
  }
  return reworded;
}

function inOurName(field: string): string {
  const name = field.replace(/^(path|query)\./, '');
  return Object.hasOwn(FLAGS, name) ? (FLAGS[name] ?? field) : field;
}

/** The message has the address already. */
function reasonOf({ message }: UnreachableError): string {
  return message.replace(/^\S+ cannot be reached: /, '');
}

interface FileError extends Error {
  readonly code: string;
  readonly path?: string;
}

function isFileError(error: unknown): error is FileError {
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string';
}

const FILE_REASONS: Readonly<Partial<Record<string, string>>> = {
  ENOENT: 'No such file',
  EACCES: 'Permission denied',
  EISDIR: 'Is a directory, not a file',
  ENOTDIR: 'A part of the path is not a directory',
};

function fileFailure(error: FileError): CliError {
  return new CliError('usage', `${error.path}: ${FILE_REASONS[error.code] ?? error.message}`, { cause: error });
}
