export { type Client, createClient, type EventContract, type ReplyOf } from './client.ts';
export {
  ApiError,
  ApprovalRequiredError,
  InvalidInputError,
  UnexpectedAnswerError,
  UnreachableError,
} from './errors.ts';
export type { StreamEvent } from './events.ts';
export type { CallInput, CallOptions } from './input.ts';
export type { ClientOptions, Exchange, Retry } from './options.ts';
export type { ItemOf } from './paging.ts';
