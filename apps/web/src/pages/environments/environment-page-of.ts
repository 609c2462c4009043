import type { Environment, listEnvironments } from '@waymark/contract';
import type { z } from 'zod';

type Reply = z.output<(typeof listEnvironments)['reply']>;

interface EnvironmentPageOf {
  readonly environments: readonly Environment[];
  readonly total_count: number;
  readonly total_pages: number;
}

/** With `page` the response is always an envelope. */
export function environmentPageOf(answer: Reply): EnvironmentPageOf {
  return Array.isArray(answer) ? { environments: answer, total_count: answer.length, total_pages: 1 } : answer;
}
