import type { DemoApi } from './demo-api.ts';
import type { DemoWorker } from './demo-worker.ts';
import type { StoryTimes } from './moments.ts';
import type { Running } from './running.ts';
import type { Words } from './words.ts';

export interface DemoKeys {
  readonly ada: string;
  readonly bea: string;
  readonly carl: string;
  readonly ci: string;
  readonly reporter: string;
}

/** The context of every part of the seed. */
export interface Seeding {
  readonly api: DemoApi;
  readonly orgId: string;
  readonly keys: DemoKeys;
  readonly words: Words;
  readonly times: StoryTimes;
  readonly running: Running;
  readonly worker: DemoWorker;
}

/** Something that happens at a time of the history. */
export interface Step {
  readonly at: Date;
  run(seeding: Seeding): Promise<unknown>;
}

/** In the order of their times; of those at the same time, the one that was planned first. */
export async function takeSteps(seeding: Seeding, steps: readonly Step[], tell: (done: number) => void): Promise<void> {
  const inOrder = steps.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  for (const [i, step] of inOrder.entries()) {
    seeding.api.clock.now = step.at;
    await step.run(seeding);
    tell((i + 1) / inOrder.length);
  }
}
