export type { CiContext, Known, OidcOffer, ProviderId, PullRequest, Repository } from './ci-context.ts';
export { readCiContext } from './read-ci-context.ts';
export type { Environment, Sources } from './reader.ts';
