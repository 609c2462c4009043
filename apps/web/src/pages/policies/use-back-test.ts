import type { Simulation, SimulationInput } from '@waymark/contract';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSession } from '../../lib/session.ts';
import { type Progress, runBackTest } from './run-back-test.ts';

interface Run {
  /** The tested text: the draft may have changed since. */
  readonly text: string;
  readonly progress?: Progress;
  readonly result?: Simulation;
  readonly error?: Error;
  readonly isRunning: boolean;
}

export interface BackTest {
  /** Whether it can be started: not before the session is known. */
  readonly isReady: boolean;
  readonly run: Run | undefined;
  readonly start: (body: SimulationInput & { readonly policy_yaml: string }) => void;
  readonly stop: () => void;
}

/** One at a time: a new one cancels the one before. */
export function useBackTest(org: string): BackTest {
  const { data: session } = useSession();
  const [run, setRun] = useState<Run>();
  const ending = useRef<AbortController>(undefined);
  useEffect(() => () => ending.current?.abort(), []);

  const csrfToken = session?.csrf_token ?? undefined;
  const start = useCallback(
    (body: SimulationInput & { readonly policy_yaml: string }) => {
      ending.current?.abort();
      const controller = new AbortController();
      ending.current = controller;
      const { signal } = controller;
      const text = body.policy_yaml;
      const tell = (changes: Omit<Run, 'text'>) => {
        if (!signal.aborted) setRun({ text, ...changes });
      };
      setRun({ text, isRunning: true });
      runBackTest({ org, body, csrfToken, signal, onProgress: (progress) => tell({ isRunning: true, progress }) }).then(
        (result) => tell({ isRunning: false, result }),
        (error: unknown) =>
          tell({ isRunning: false, error: error instanceof Error ? error : new Error(String(error)) }),
      );
    },
    [org, csrfToken],
  );
  const stop = useCallback(() => {
    ending.current?.abort();
    setRun(undefined);
  }, []);
  return { isReady: session !== undefined, run, start, stop };
}
