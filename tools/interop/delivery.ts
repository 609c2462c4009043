import type { Repository } from './given-repository.ts';

/** One delivery: the flow and trail of a program that is built from a commit. */
export interface Delivery {
  readonly flow: string;
  readonly trail: string;
  readonly type: string;
  readonly program: string;
  readonly fingerprint: string;
  readonly repository: Repository;
}
