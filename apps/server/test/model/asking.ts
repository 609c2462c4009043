import type { Answer, TestApi } from '../harness.ts';
import { differenceOf } from './difference.ts';
import type { Random } from './random.ts';
import type { Environment, RuntimeModel } from './runtime-model.ts';

/** Asks the service and the model, and fails with the first difference. */
export interface Checks {
  readonly api: TestApi;
  readonly model: RuntimeModel;
  readonly random: Random;
}

export type Query = Record<string, string | string[]>;

export function compare(question: string, expected: unknown, actual: unknown): void {
  const difference = differenceOf(expected, actual);
  if (difference !== undefined) throw new Error(`${question}: ${difference}`);
}

/** By its current name, or a former one. */
export function nameFor({ random }: Checks, { name, aliases }: Environment): string {
  return aliases.size > 0 && random.chance(0.2) ? random.pick([...aliases]) : name;
}

/** The body of the result, or of the refusal. */
export function found({ status, body }: Answer<unknown>): unknown {
  return status === 200 ? body : { status };
}

/** What an environment is made of, by name. */
export function membersOf(environment: Environment): Environment[] {
  if (environment.type !== 'logical') return [environment];
  const members = [...environment.members].filter((member) => !member.isArchived);
  return members.sort((a, b) => (a.name < b.name ? -1 : 1));
}
